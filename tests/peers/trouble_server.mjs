// A server that misbehaves when told to, on the official v2 package: for tests of what others notice of it.
//
//   node trouble_server.mjs NAME [stdio|http]      http prints "listening PORT" and serves /mcp
import { createServer } from 'node:http';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';

const [name, kind = 'stdio'] = process.argv.slice(2);
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const object = (properties, required = Object.keys(properties)) =>
  fromJsonSchema({ type: 'object', properties, required });
let calls = 0;

function build() {
  const server = new McpServer({ name, version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  const tool = (toolName, description, properties, run) =>
    server.registerTool(toolName, { description, inputSchema: object(properties) }, run);
  tool('who', 'Says who answers, from which process, and how often it was asked', {},
    async () => text(`${name} ${process.pid} ${++calls}`));
  tool('echo', process.env.ECHO_SAYS ?? 'Says it back', { value: { type: 'string' } }, async ({ value }) => text(value));
  tool('die', 'Ends the process at once', {}, async () => process.exit(9));
  tool('hang', 'Never answers', {}, () => new Promise(() => {}));
  tool('slow', 'Answers after some milliseconds', { ms: { type: 'integer' } },
    ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(text(`slept ${ms}`)), ms)));
  tool('big', 'Answers with so many bytes', { bytes: { type: 'integer' } }, async ({ bytes }) => text('x'.repeat(bytes)));
  return server;
}

if (kind === 'http') {
  const server = createServer(toNodeHandler(createMcpHandler(build)));
  server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));
} else {
  serveStdio(build);
}
