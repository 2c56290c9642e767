// A server that does not want to end: it ignores the end of its input and every polite signal, and so does what it
// started in a session of its own. No package needed.
//
//   node stubborn_server.mjs NAME [talks|mute]      mute: never answers anything
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [name, kind = 'talks'] = process.argv.slice(2);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
setInterval(() => {}, 1_000_000);
if (kind !== 'grandchild') {
  spawn(process.execPath, [process.argv[1], name, 'grandchild'], { detached: true, stdio: 'ignore' });
}

const tools = ['hang', 'who'].map((tool) => ({ name: tool, inputSchema: { type: 'object' } }));

function answer({ id, method, params }) {
  if (method === 'initialize') {
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name, version: '1' } };
  }
  if (method === 'tools/list') return { tools };
  if (method === 'ping') return {};
  if (method === 'tools/call' && params.name === 'who') return { content: [{ type: 'text', text: `${name} ${process.pid}` }] };
  return undefined;
}

if (kind === 'talks') {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line);
    if (request.id === undefined || request.params?.name === 'hang') return;
    const result = answer(request);
    const reply = result ? { result } : { error: { code: -32601, message: 'unknown method' } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...reply })}\n`);
  });
}
