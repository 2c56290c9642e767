// A small server on the official v2 package that speaks both eras, for interop tests.
//
//   node dual_era_server.mjs stdio                    over stdin and stdout
//   node dual_era_server.mjs http [both|modern]       prints "listening PORT" and serves /mcp
import { createServer } from 'node:http';
import { McpServer, acceptedContent, createMcpHandler, fromJsonSchema, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const object = (properties, required = Object.keys(properties)) =>
  fromJsonSchema({ type: 'object', properties, required });
const number = { type: 'number' };

function build() {
  const server = new McpServer(
    { name: 'dual-era-fixture', version: '1.0.0', title: 'A fixture', websiteUrl: 'https://example.com/fixture' },
    { instructions: 'A fixture for interop tests.', capabilities: { tools: { listChanged: true }, logging: {} } },
  );
  server.registerTool('add', {
    description: 'Adds two numbers',
    inputSchema: object({ a: number, b: number }),
    outputSchema: object({ sum: number }),
  }, async ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } }));

  server.registerTool('fail', { description: 'Runs and fails', inputSchema: object({}) }, async () => ({
    ...text('it was meant to fail'), isError: true,
  }));

  server.registerTool('greet', {
    description: 'Asks for a name, then greets',
    inputSchema: object({}),
  }, async (_args, ctx) => {
    const answer = acceptedContent(ctx.mcpReq.inputResponses, 'who');
    if (answer === undefined) {
      return inputRequired({
        inputRequests: {
          who: inputRequired.elicit({
            message: 'What is your name?',
            requestedSchema: {
              type: 'object',
              properties: { name: { type: 'string' }, polite: { type: 'boolean', default: true } },
              required: ['name'],
            },
          }),
        },
      });
    }
    return text(`${answer.polite ? 'Good day' : 'Hi'}, ${answer.name}`);
  });

  // As servers written before 2026-07-28 ask: by a request of their own, in the middle of the call.
  server.registerTool('push_greet', {
    description: 'Asks for a name by a request of its own, then greets',
    inputSchema: object({}),
  }, async (_args, ctx) => {
    const answer = await ctx.mcpReq.elicitInput({
      mode: 'form',
      message: 'What is your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return text(`Hello, ${answer.content.name}`);
  });

  server.registerTool('unlock', { description: 'Offers one more tool', inputSchema: object({}) }, async () => {
    server.registerTool('hidden', { description: 'Was unlocked', inputSchema: object({}) }, async () => text('found'));
    return text('unlocked');
  });

  server.registerTool('region', {
    description: 'Says which region it was asked for; the argument travels as a header too',
    inputSchema: object({ region: { type: 'string', 'x-mcp-header': 'Region' } }),
  }, async ({ region }) => text(`region ${region}`));

  server.registerTool('count', {
    description: 'Reports progress while counting',
    inputSchema: object({ to: { type: 'integer' } }),
  }, async ({ to }, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= to; progress++) {
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: to } });
      }
    }
    return text(`counted to ${to}`);
  });

  server.registerResource('motto', 'fixture://motto', { description: 'A line of text', mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'carry on' }] }));

  server.registerPrompt('review', {
    description: 'Asks for a review',
    argsSchema: object({ topic: { type: 'string' } }),
  }, async ({ topic }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Please review ${topic}` } }],
  }));
  return server;
}

const [mode = 'stdio', era = 'both'] = process.argv.slice(2);
if (mode === 'stdio') {
  serveStdio(build);
} else {
  const handler = createMcpHandler(build, { legacy: era === 'modern' ? 'reject' : 'stateless' });
  const server = createServer(toNodeHandler(handler));
  server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));
}
