// A server that tells what reached it, on the official packages: for tests of what a gateway passes on.
//
//   node watched_server.mjs NAME stdio            v2, whichever era the client opens with
//   node watched_server.mjs NAME http modern      v2; prints "listening PORT" and serves /mcp
//   node watched_server.mjs NAME http legacy      v1 with sessions and GET streams; the same
//   node watched_server.mjs NAME sse              v1, HTTP+SSE at /sse; prints the same
//
// A port of its own choosing may be given as PORT in the environment: for servers that come back.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';

const [name, kind = 'stdio', era = 'modern'] = process.argv.slice(2);
const modern = kind === 'stdio' || (kind === 'http' && era === 'modern');
const kMotto = `watched://${name}/motto`;
const kOther = `watched://${name}/other`;

// What the whole process knows, whoever asks.
const extra = new Set();
const executed = new Map();
const cancelled = [];
const running = new Set();
const rootsHeard = [];
let touched = 0;
let sessions = 0;
const open = new Set(); // what can be told: { toolsChanged(), updated(uri) }

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const tool = (toolName, properties = {}) => ({
  name: toolName, inputSchema: { type: 'object', properties, required: Object.keys(properties) },
});
const word = { type: 'string' };
const number = { type: 'number' };
const tools = () => [
  tool('who'), tool('echo', { value: word }), tool('work', { value: word, ms: number }), tool('executed'),
  tool('running'), tool('cancelled'), tool('steps', { to: number }), tool('chat', { value: word }),
  tool('add_tool', { name: word }), tool('remove_tool', { name: word }), tool('touch'), tool('roots'),
  ...[...extra].map((one) => tool(one)),
];

/** `session` numbers the connection; `call` knows { signal, progress, log, capabilities }. */
const run = {
  who: (_args, call, session) => text(JSON.stringify({ name, pid: process.pid, session, capabilities: call.capabilities() ?? {} })),
  echo: ({ value }) => {
    executed.set(value, (executed.get(value) ?? 0) + 1);
    return text(value);
  },
  work: async ({ value, ms }, call) => {
    executed.set(value, (executed.get(value) ?? 0) + 1);
    running.add(value);
    await call.progress(1, 2);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      call.signal.addEventListener('abort', () => {
        if (!running.has(value)) return; // the package ends every request like this
        cancelled.push(value);
        clearTimeout(timer);
        resolve();
      });
    });
    running.delete(value);
    return text(value);
  },
  executed: () => text(JSON.stringify(Object.fromEntries(executed))),
  running: () => text(JSON.stringify([...running])),
  cancelled: () => text(JSON.stringify(cancelled)),
  steps: async ({ to }, call) => {
    for (let step = 1; step <= to; step++) await call.progress(step, to);
    return text(`took ${to} steps`);
  },
  chat: async ({ value }, call) => {
    await call.log('debug', `whispers ${value}`);
    await call.log('error', `shouts ${value}`);
    return text(value);
  },
  add_tool: (args) => {
    extra.add(args.name);
    for (const one of open) one.toolsChanged();
    return text('added');
  },
  remove_tool: (args) => {
    extra.delete(args.name);
    for (const one of open) one.toolsChanged();
    return text('removed');
  },
  touch: () => {
    touched++;
    for (const one of open) one.updated(kMotto);
    return text(touched);
  },
  roots: async (_args, call) => text(JSON.stringify({ heard: rootsHeard.length, roots: await call.roots() })),
};

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} };
const resources = () => ({ resources: [kMotto, kOther].map((uri) => ({ uri, name: uri })) });
const contents = (uri) => ({ contents: [{ uri, mimeType: 'text/plain', text: `touched ${touched}` }] });

/** A low-level server of either package; `on(method, handler)` and `make(request, context)` hide their differences. */
function furnish(server, on, wrap) {
  const session = ++sessions;
  const subscribed = new Set();
  on('tools/list', () => ({ tools: tools() }));
  on('tools/call', (request, context) => {
    const one = run[request.params.name] ?? (extra.has(request.params.name) ? () => text('new') : undefined);
    if (!one) throw new Error(`no tool ${request.params.name}`);
    return one(request.params.arguments ?? {}, wrap(request, context), session);
  });
  on('resources/list', resources);
  on('resources/templates/list', () => ({ resourceTemplates: [] }));
  on('resources/read', (request) => contents(request.params.uri));
  on('resources/subscribe', (request) => { subscribed.add(request.params.uri); return {}; });
  on('resources/unsubscribe', (request) => { subscribed.delete(request.params.uri); return {}; });
  const told = {
    toolsChanged: () => server.sendToolListChanged().catch(() => {}),
    updated: (uri) => { if (server.everything || subscribed.has(uri)) server.sendResourceUpdated({ uri }).catch(() => {}); },
  };
  return told;
}

async function v2(fromHandler) {
  const { Server } = await import('@modelcontextprotocol/server');
  return (context) => {
    const server = new Server({ name, version: '1.0.0' }, { capabilities });
    // A modern client says what it wants to hear when it listens; whoever serves it keeps to that.
    server.everything = context?.era === 'modern';
    const told = furnish(server, (method, handler) => server.setRequestHandler(method, async (request, ctx) => handler(request, ctx)),
      (request, ctx) => ({
        signal: ctx.mcpReq.signal,
        progress: (progress, total) => ctx.mcpReq._meta?.progressToken === undefined ? undefined
          : ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: ctx.mcpReq._meta.progressToken, progress, total } }),
        log: (level, data) => ctx.mcpReq.log(level, data),
        capabilities: () => server.getClientCapabilities(),
        roots: async () => (await server.listRoots()).roots,
      }));
    server.setNotificationHandler('notifications/roots/list_changed', async () => { rootsHeard.push(1); });
    if (!fromHandler) {
      open.add(told);
      server.onclose = () => open.delete(told);
    }
    return server;
  };
}

async function v1() {
  const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
  const schemas = await import('@modelcontextprotocol/sdk/types.js');
  const schemaOf = {
    'tools/list': schemas.ListToolsRequestSchema, 'tools/call': schemas.CallToolRequestSchema,
    'resources/list': schemas.ListResourcesRequestSchema, 'resources/templates/list': schemas.ListResourceTemplatesRequestSchema,
    'resources/read': schemas.ReadResourceRequestSchema, 'resources/subscribe': schemas.SubscribeRequestSchema,
    'resources/unsubscribe': schemas.UnsubscribeRequestSchema,
  };
  return () => {
    const server = new Server({ name, version: '1.0.0' }, { capabilities });
    const told = furnish(server, (method, handler) => server.setRequestHandler(schemaOf[method], async (request, ctx) => handler(request, ctx)),
      (request, ctx) => ({
        signal: ctx.signal,
        progress: (progress, total) => ctx._meta?.progressToken === undefined ? undefined
          : ctx.sendNotification({ method: 'notifications/progress', params: { progressToken: ctx._meta.progressToken, progress, total } }),
        // On the call's own stream: over another one it could come after the answer.
        log: (level, data) => ctx.sendNotification({ method: 'notifications/message', params: { level, data } }),
        capabilities: () => server.getClientCapabilities(),
        roots: async () => (await server.listRoots()).roots,
      }));
    server.setNotificationHandler(schemas.RootsListChangedNotificationSchema, async () => { rootsHeard.push(1); });
    open.add(told);
    server.onclose = () => open.delete(told);
    return server;
  };
}

function serve(handler) {
  const http = createServer(handler);
  http.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => console.log(`listening ${http.address().port}`));
}

if (kind === 'stdio') {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(await v2(false));
} else if (modern) {
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { toNodeHandler } = await import('@modelcontextprotocol/node');
  const handler = createMcpHandler(await v2(true), { legacy: 'reject' });
  open.add({ toolsChanged: () => handler.notify.toolsChanged(), updated: (uri) => handler.notify.resourceUpdated(uri) });
  serve(toNodeHandler(handler));
} else {
  const build = await v1();
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const { SSEServerTransport } = await import('@modelcontextprotocol/sdk/server/sse.js');
  const live = new Map();
  serve(async (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    if (kind === 'sse') {
      if (request.method === 'GET') {
        const transport = new SSEServerTransport('/messages', response);
        live.set(transport.sessionId, transport);
        await build().connect(transport);
      } else {
        const transport = live.get(url.searchParams.get('sessionId'));
        if (transport) await transport.handlePostMessage(request, response);
        else response.writeHead(404).end();
      }
      return;
    }
    const id = request.headers['mcp-session-id'];
    let transport = id && live.get(id);
    if (id && !transport) return response.writeHead(404).end();
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => live.set(session, transport),
        onsessionclosed: (session) => live.delete(session),
      });
      await build().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
}
