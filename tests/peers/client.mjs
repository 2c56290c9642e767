// The official TypeScript clients as real callers: connects, lists, does what it is told, prints one line of JSON.
//
//   node client.mjs v1|v2 legacy|modern http|sse URL STEPS
//   node client.mjs v1|v2 legacy|modern stdio 'COMMAND ARGS…' STEPS
//
// STEPS is JSON: a list of ["call", tool, arguments], ["tools"], ["prompts"], ["resources"], ["templates"], ["read", uri],
// ["prompt", name, arguments],
// ["complete", prompt, argument, value], ["subscribe", uri], ["listen", filter] (modern),
// ["wait", method, times] (notifications that must come). All that came is in `heard`.
// Questions are answered: elicitation with {name: "Ada", polite: true, …defaults}, sampling with "sampled", roots with one.
const [version, era, transportKind, target, stepsText = '[]'] = process.argv.slice(2);
const steps = JSON.parse(stepsText);
const v2 = version === 'v2';

const sdk = v2
  ? { ...(await import('@modelcontextprotocol/client')), ...(await import('@modelcontextprotocol/client/stdio')) }
  : {
      ...(await import('@modelcontextprotocol/sdk/client/index.js')),
      ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
      ...(await import('@modelcontextprotocol/sdk/client/sse.js')),
      ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
      ...(await import('@modelcontextprotocol/sdk/types.js')),
    };

const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const options = { capabilities };
if (v2) options.versionNegotiation = { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' };
const client = new sdk.Client({ name: `test-client-${version}`, version: '1.0.0' }, options);

const asked = [];
const heard = [];
let wake = () => {};
let done = false;
const handle = (method, schema, answer) => {
  const handler = async (request) => {
    asked.push(method);
    return answer(request.params);
  };
  client.setRequestHandler(v2 ? method : schema, handler);
};
handle('elicitation/create', sdk.ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada', polite: true } }));
handle('sampling/createMessage', sdk.CreateMessageRequestSchema, () => ({
  role: 'assistant', model: 'test-model', content: { type: 'text', text: 'sampled' },
}));
handle('roots/list', sdk.ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///srv/project', name: 'project' }] }));
client.fallbackNotificationHandler = async (notification) => {
  heard.push({ method: notification.method, uri: notification.params?.uri });
  wake();
};

const transport = {
  http: () => new sdk.StreamableHTTPClientTransport(new URL(target)),
  sse: () => new sdk.SSEClientTransport(new URL(target)),
  stdio: () => {
    const [command, ...args] = target.split(' ');
    return new sdk.StdioClientTransport({ command, args, stderr: 'inherit', env: process.env });
  },
}[transportKind]();

async function listAll(list, member) {
  const all = [];
  let cursor;
  do {
    const page = await list(cursor === undefined ? undefined : { cursor });
    all.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

async function step([what, ...args]) {
  const progress = [];
  const onprogress = (update) => progress.push(update.progress);
  switch (what) {
    case 'call': {
      const params = { name: args[0], arguments: args[1] ?? {} };
      const result = v2 ? await client.callTool(params, { onprogress }) : await client.callTool(params, undefined, { onprogress });
      return progress.length ? { ...result, progress } : result;
    }
    case 'tools': return { tools: (await listAll((params) => client.listTools(params), 'tools')).map((tool) => tool.name) };
    case 'prompts':
      return { prompts: (await listAll((params) => client.listPrompts(params), 'prompts')).map((prompt) => prompt.name) };
    case 'resources':
      return { resources: (await listAll((params) => client.listResources(params), 'resources')).map((one) => one.uri) };
    case 'templates':
      return {
        templates: (await listAll((params) => client.listResourceTemplates(params), 'resourceTemplates')).map((one) => one.uriTemplate),
      };
    case 'read': return client.readResource({ uri: args[0] });
    case 'prompt': return client.getPrompt({ name: args[0], arguments: args[1] ?? {} });
    case 'complete':
      return client.complete({ ref: { type: 'ref/prompt', name: args[0] }, argument: { name: args[1], value: args[2] } });
    case 'listen': {
      const subscription = await client.listen(args[0]);
      subscription.closed.then((how) => { if (!done) throw new Error(`the subscription ended: ${how}`); });
      return { honoured: subscription.honoredFilter };
    }
    case 'subscribe': return client.subscribeResource({ uri: args[0] });
    case 'wait': {
      const times = () => heard.filter((one) => one.method === args[0]).length;
      while (times() < (args[1] ?? 1)) await new Promise((resolve) => { wake = resolve; });
      return { waited: args[0] };
    }
    default: throw new Error(`unknown step ${what}`);
  }
}

try {
  await client.connect(transport);
  const tools = await listAll((params) => client.listTools(params), 'tools');
  const results = [];
  for (const one of steps) {
    try {
      results.push(await step(one));
    } catch (error) {
      results.push({ error: { code: error.code, message: error.message } });
    }
  }
  console.log(JSON.stringify({ server: client.getServerVersion(), tools: tools.map((tool) => tool.name), results, asked, heard }));
  done = true;
  await client.close();
  process.exit(0);
} catch (error) {
  console.log(JSON.stringify({ failed: { code: error.code, message: error.message } }));
  process.exit(1);
}
