// What the official conformance suite looks for in a server, on the official v2 packages and on one URL for both eras:
// the upstream nobody here wrote, for runs of the suite through the gateway (tools/conformance).
//
//   node conformance_server.mjs --port 0 [--era both|legacy|modern]      prints its URL, serves until it is told to end
//
// A handler asks by returning `inputRequired`. The package sends that to modern clients as it is and asks legacy ones
// while they wait. The tasks extension is not there: the packages do not implement it.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import {
  McpServer, ResourceTemplate, acceptedContent, createMcpHandler, createRequestStateCodec, fromJsonSchema,
  inputRequired, inputResponse, isLegacyRequest,
} from '@modelcontextprotocol/server';
import {
  NodeStreamableHTTPServerTransport, localhostHostValidation, localhostOriginValidation, toNodeHandler, toWebRequest,
} from '@modelcontextprotocol/node';

const { values: options } = parseArgs({
  options: { port: { type: 'string', default: '0' }, era: { type: 'string', default: 'both' } },
});
if (!['both', 'legacy', 'modern'].includes(options.era)) throw new Error(`no such era: ${options.era}`);

const kPng = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const kWav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const states = createRequestStateCodec({ key: randomBytes(32) });

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (value) => ({ type: 'text', text: value });
const image = { type: 'image', data: kPng, mimeType: 'image/png' };
const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });
const said = (...content) => ({ content: content.map((block) => (typeof block === 'string' ? text(block) : block)) });
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const string = { type: 'string' };

// --- questions ---

const form = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema });
const askName = (message) => form(message, object({ name: string }));
const askModel = (words) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens: 100 });
const ask = async (inputRequests, state) =>
  inputRequired(state === undefined ? { inputRequests } : { inputRequests, requestState: await states.mint(state) });
/// What came back under that name, of that kind; nothing while it has to be asked.
const answered = (ctx, key, kind) => {
  const answer = inputResponse(ctx.mcpReq.inputResponses, key);
  return answer.kind === kind ? answer : undefined;
};
const capabilitiesOf = (server, ctx) =>
  ctx.mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? server.server.getClientCapabilities() ?? {};

// --- tools ---

const kDefaults = object({
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: { type: 'string', description: 'Status', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', description: 'Verified', default: true },
}, []);
const titled = (...names) => names.map((title, at) => ({ const: `value${at + 1}`, title }));
const kEnums = object({
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled('First', 'Second', 'Third') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: { type: 'array', items: { anyOf: titled('First', 'Second', 'Third') } },
}, []);
const k2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } } },
  properties: {
    name: string, address: { $ref: '#/$defs/address' }, contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: string, email: string,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const toolsOf = (server) => (name, description, run, inputSchema = object({})) =>
  server.registerTool(name, { description, inputSchema: fromJsonSchema(inputSchema) }, run);

function addTools(server, changed) {
  const tool = toolsOf(server);
  tool('test_simple_text', 'One text', async () => said('This is a simple text response for testing.'));
  tool('test_image_content', 'One image', async () => said(image));
  tool('test_audio_content', 'One sound', async () => said({ type: 'audio', data: kWav, mimeType: 'audio/wav' }));
  tool('test_embedded_resource', 'A resource inside the result', async () =>
    said(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')));
  tool('test_multiple_content_types', 'A text, an image, a resource', async () => said('Multiple content types test:',
    image, embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}')));
  tool('test_error_handling', 'Always fails', async () =>
    ({ ...said('This tool intentionally returns an error for testing'), isError: true }));
  tool('json_schema_2020_12_tool', 'Has every keyword in its schema', async () => said('All of them were fine'), k2020);
  tool('test_x_mcp_header', 'Mirrors an argument in a header', async ({ region }) => said(`region ${region}`),
    object({ region: { ...string, 'x-mcp-header': 'Region' }, level: { type: 'integer' } }, []));

  tool('test_tool_with_progress', 'Tells how far it is', async (_, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      }
      await pause(50);
    }
    return said('Finished');
  });
  tool('test_tool_with_logging', 'Logs three lines', async (_, ctx) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await ctx.mcpReq.log('info', line);
      await pause(50);
    }
    return said('Logged three lines');
  });
  tool('test_logging_tool', 'Logs for those who want it', async (_, ctx) => {
    await ctx.mcpReq.log('info', 'A line for whoever asked to hear it');
    return said('Logged, if you wanted to know');
  });
  tool('test_reconnection', 'Ends its stream before its answer', async (_, ctx) => {
    ctx.http?.closeSSE?.();
    await pause(100);
    return said('The client came back for this');
  });
  tool('test_trigger_tool_change', 'Tells listeners that the tools changed', async () => {
    changed.tools();
    return said('Told');
  });
  tool('test_trigger_prompt_change', 'Tells listeners that the prompts changed', async () => {
    changed.prompts();
    return said('Told');
  });
}

function addAskingTools(server) {
  const tool = toolsOf(server);
  const formTool = (name, description, message, schema, inputSchema) => tool(name, description, async (args, ctx) => {
    const answer = answered(ctx, 'form', 'elicit');
    if (!answer) return ask({ form: form(args.message ?? message, schema) });
    return said(`action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
  }, inputSchema);

  tool('test_sampling', "Asks the client's model", async ({ prompt }, ctx) => {
    const answer = answered(ctx, 'model', 'sampling');
    return answer ? said(`LLM response: ${answer.result.content.text}`) : ask({ model: askModel(prompt) });
  }, object({ prompt: string }));
  // The package refuses a question that the client did not offer to answer.
  tool('test_missing_capability', 'Works only for clients that can sample', async (_, ctx) =>
    (answered(ctx, 'model', 'sampling') ? said('The client can sample') : ask({ model: askModel('Hello?') })));
  formTool('test_elicitation', 'Asks a person', 'Who are you?', object({ username: string, email: string }),
    object({ message: string }));
  formTool('test_elicitation_sep1034_defaults', 'Asks with defaults', 'Please review the form', kDefaults);
  formTool('test_elicitation_sep1330_enums', 'Asks with choices', 'Please choose', kEnums);
  formTool('test_streaming_elicitation', 'Asks one question', 'Please fill in', kDefaults);
}

function addRoundTools(server) {
  const tool = (suffix, description, run) => toolsOf(server)(`test_input_required_result_${suffix}`, description, run);

  tool('elicitation', 'Asks for a name', async (_, ctx) => {
    const name = acceptedContent(ctx.mcpReq.inputResponses, 'user_name', fromJsonSchema(object({ name: string })));
    return name ? said(`Hello, ${name.name}!`) : ask({ user_name: askName('What is your name?') });
  });
  tool('sampling', "Asks the client's model", async (_, ctx) =>
    (answered(ctx, 'capital', 'sampling') ? said('Thank you') : ask({ capital: askModel('The capital of France?') })));
  tool('list_roots', "Asks for the client's roots", async (_, ctx) => {
    const answer = answered(ctx, 'client_roots', 'roots');
    return answer ? said(`${answer.roots.length} root(s)`) : ask({ client_roots: inputRequired.listRoots() });
  });
  const confirm = async (_, ctx) => {
    const sure = acceptedContent(ctx.mcpReq.inputResponses, 'confirm');
    const question = form('Go on?', object({ ok: { type: 'boolean' } }));
    if (sure === undefined) return ask({ confirm: question }, { asked: true });
    return said(ctx.mcpReq.requestState()?.asked ? 'state-ok' : 'answered up front');
  };
  tool('request_state', 'Asks once and looks for its state', confirm);
  tool('tampered_state', 'Asks once and insists on its own state', confirm);
  tool('multiple_inputs', 'Asks three things at once', async (_, ctx) => {
    const all = answered(ctx, 'user_name', 'elicit') && answered(ctx, 'greeting', 'sampling') &&
      answered(ctx, 'client_roots', 'roots');
    return all ? said('Received all three') : ask({
      user_name: askName('What is your name?'), greeting: askModel('Say hello'),
      client_roots: inputRequired.listRoots(),
    }, { asked: 'all' });
  });
  tool('multi_round', 'Asks twice', async (_, ctx) => {
    const first = ctx.mcpReq.requestState()?.name ?? acceptedContent(ctx.mcpReq.inputResponses, 'step1')?.name;
    if (first === undefined) return ask({ step1: askName('What is your name?') }, { round: 1 });
    const second = acceptedContent(ctx.mcpReq.inputResponses, 'step2')?.color;
    const question = form('Which colour?', object({ color: string }));
    if (second === undefined) return ask({ step2: question }, { round: 2, name: first });
    return said(`${first} likes ${second}`);
  });
  tool('capabilities', 'Asks only what the client can answer', async (_, ctx) => {
    const can = capabilitiesOf(server, ctx);
    const open = {};
    if (can.elicitation && !answered(ctx, 'user_name', 'elicit')) open.user_name = askName('What is your name?');
    if (can.sampling && !answered(ctx, 'greeting', 'sampling')) open.greeting = askModel('Say hello');
    return Object.keys(open).length === 0 ? said('Nothing left to ask') : ask(open);
  });
}

// --- resources, prompts, completion ---

function addResources(server) {
  const resource = (name, uri, mimeType, description, contents) => server.registerResource(name, uri,
    { description, mimeType }, async () => ({ contents: [{ uri, mimeType, ...contents }] }));
  resource('static-text', 'test://static-text', 'text/plain', 'A text that never changes',
    { text: 'This is the content of the static text resource.' });
  resource('static-binary', 'test://static-binary', 'image/png', 'An image that never changes', { blob: kPng });
  resource('watched', 'test://watched-resource', 'text/plain', 'To subscribe to', { text: 'A watched resource.' });
  server.registerResource('template', new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data by id', mimeType: 'application/json' }, async (uri, { id }) => ({
      contents: [{
        uri: uri.href, mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      }],
    }));
}

function addPrompts(server) {
  const user = (...content) => ({ messages: content.map((block) => ({ role: 'user', content: block })) });
  const strings = (names) => object(Object.fromEntries(names.map((name) => [name, string])));
  const prompt = (name, description, run, ...names) => server.registerPrompt(name, {
    description,
    ...(names.length > 0 && { argsSchema: fromJsonSchema(strings(names)) }),
  }, run);
  prompt('test_simple_prompt', 'One message', async () => user(text('This is a simple prompt for testing.')));
  prompt('test_prompt_with_arguments', 'Uses two arguments', async ({ arg1, arg2 }) =>
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)), 'arg1', 'arg2');
  prompt('test_prompt_with_embedded_resource', 'Includes a resource', async ({ resourceUri }) =>
    user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.')), 'resourceUri');
  prompt('test_prompt_with_image', 'Includes an image', async () =>
    user(image, text('Please analyze the image above.')));
  prompt('test_input_required_result_prompt', 'Asks for its context first', async (ctx) => {
    const answer = acceptedContent(ctx.mcpReq.inputResponses, 'user_context');
    if (!answer) return ask({ user_context: form('Which context?', object({ context: string })) });
    return user(text(`Use this context: ${answer.context}`));
  });
  server.server.setRequestHandler('completion/complete', async ({ params }) => {
    const values = ['hello', 'help', 'world'].filter((word) => word.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
}

function build(changed) {
  const server = new McpServer({ name: 'conformance-fixture', version: '1.0.0' }, {
    capabilities: {
      tools: { listChanged: true }, prompts: { listChanged: true }, resources: { subscribe: true, listChanged: true },
      completions: {}, logging: {},
    },
    requestState: { verify: states.verify },
  });
  addTools(server, changed);
  addAskingTools(server);
  addRoundTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

// --- both eras on one URL ---

/// Legacy sessions by their id: a server and its transport each.
const sessions = new Map();
const changed = {
  tools() {
    modern.notify.toolsChanged();
    for (const { server } of sessions.values()) server.sendToolListChanged();
  },
  prompts() {
    modern.notify.promptsChanged();
    for (const { server } of sessions.values()) server.sendPromptListChanged();
  },
};
const modern = createMcpHandler(() => build(changed), { legacy: 'reject' });
const serveModern = toNodeHandler(modern);

/// Events of one session, kept for whoever comes back with a Last-Event-ID.
class Events {
  #all = [];
  async storeEvent(stream, message) {
    this.#all.push({ id: `${stream}/${this.#all.length}`, stream, message });
    return this.#all.at(-1).id;
  }
  async getStreamIdForEventId(id) {
    return this.#all.find((event) => event.id === id)?.stream;
  }
  async replayEventsAfter(id, { send }) {
    const at = this.#all.findIndex((event) => event.id === id);
    const { stream } = this.#all[at];
    for (const event of this.#all.slice(at + 1)) {
      // The event that opens a stream holds no message.
      if (event.stream === stream && event.message.jsonrpc) await send(event.id, event.message);
    }
    return stream;
  }
}

async function openSession() {
  const server = build(changed);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: new Events(),
    retryInterval: 500,
    onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  server.server.setRequestHandler('resources/subscribe', async () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', async () => ({}));
  await server.connect(transport);
  return transport;
}

const refuse = (response, status, message, code = -32600) =>
  response.writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));

async function serveLegacy(request, response, body) {
  const id = request.headers['mcp-session-id'];
  if (id !== undefined) {
    const session = sessions.get(id);
    if (!session) return refuse(response, 404, 'No such session');
    return session.transport.handleRequest(request, response, body);
  }
  if (body?.method !== 'initialize') return refuse(response, 400, 'A session is needed');
  return (await openSession()).handleRequest(request, response, body);
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

const rightHost = localhostHostValidation();
const rightOrigin = localhostOriginValidation();
async function serve(request, response) {
  if (!rightHost(request, response) || !rightOrigin(request, response)) return;
  if (request.url !== '/mcp') return void response.writeHead(404).end();
  const body = request.method === 'POST' ? await readBody(request) : undefined;
  if (request.method === 'POST' && body === undefined) return refuse(response, 400, 'Not JSON', -32700);
  const legacy = options.era !== 'modern' &&
    (options.era === 'legacy' || await isLegacyRequest(await toWebRequest(request, body ?? {}), body));
  await (legacy ? serveLegacy(request, response, body) : serveModern(request, response, body));
}

// A client that goes away in the middle costs its own connection.
const http = createServer((request, response) => serve(request, response).catch(() => response.destroy()));
http.listen(Number(options.port), '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
process.on('SIGTERM', () => process.exit(0));
