// A server that repeats everything it was told in confidence wherever it can: on stderr, in errors, in failed results,
// in progress and log messages, in HTTP refusals. No package needed.
//
//   node leaky_server.mjs stdio|dying|http [more arguments …]      http prints "listening PORT"
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const kind = process.argv[2];
const forms = (text) => [text, encodeURIComponent(text), Buffer.from(text).toString('base64'),
  Buffer.from(`user:${text}`).toString('base64'), JSON.stringify(text), Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('hex').toUpperCase()].join(' ');
const told = [...process.argv.slice(3), ...Object.entries(process.env).filter(([name]) => name.startsWith('LEAK_')).map(([, value]) => value)];
const everything = told.map(forms).join(' ');
const tools = ['refuse', 'fail', 'die', 'tell', 'rotated'].map((name) => ({ name, inputSchema: { type: 'object' } }));

function answer({ id, method, params }, leak) {
  if (method === 'initialize') {
    return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'leaky', version: '1' } } };
  }
  if (method === 'tools/list') return { result: { tools } };
  if (method === 'tools/call') {
    if (params.name === 'refuse') return { error: { code: -32000, message: `no: ${leak}`, data: { why: leak } } };
    if (params.name === 'fail') return { result: { content: [{ type: 'text', text: `failed: ${leak}` }], isError: true } };
    if (params.name === 'tell') return { result: { content: [{ type: 'text', text: 'told' }] } };
    if (params.name === 'rotated') return { result: { content: [{ type: 'text', text: process.env.ROTATED ?? 'unset' }] } };
    process.stderr.write(`dying with ${leak}\n`, () => process.exit(9));
    return undefined;
  }
  return id === undefined ? undefined : { error: { code: -32601, message: `unknown method; by the way: ${leak}` } };
}

if (kind === 'http') {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const leak = forms(request.url) + ' ' + Object.values(request.headers).map(forms).join(' ');
      response.writeHead(500, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: `refused: ${leak}` } }));
    });
  });
  server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));
} else {
  process.stderr.write(`started with ${everything}\n`);
  if (kind === 'dying') process.exit(1);
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    const progressToken = message.params?._meta?.progressToken;
    if (message.params?.name === 'tell' && progressToken !== undefined) {
      const say = (method, params) => console.log(JSON.stringify({ jsonrpc: '2.0', method, params }));
      say('notifications/progress', { progressToken, progress: 1, message: `so far: ${everything}` });
      say('notifications/message', { level: 'error', data: { noted: everything } });
    }
    const said = answer(message, everything);
    if (said && message.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...said }));
  });
}
