// A server over HTTP that lets in whoever says the word that stands in a file just now. No package needed.
//
//   node guarded_server.mjs FILE      prints "listening PORT"; tool `knocks` says how many were let in and turned away
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const file = process.argv[2];
const seen = { initialize: 0, refused: 0 };
const tools = [{ name: 'knocks', inputSchema: { type: 'object' } }];

function answer(method) {
  if (method === 'initialize') {
    seen.initialize += 1;
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'guarded', version: '1' } };
  }
  if (method === 'tools/list') return { tools };
  if (method === 'tools/call') return { content: [{ type: 'text', text: `${seen.initialize} ${seen.refused}` }] };
  return undefined;
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => { body += piece; });
  request.on('end', () => {
    const say = (status, value) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(value === undefined ? '' : JSON.stringify(value));
    };
    if (request.headers['x-word'] !== readFileSync(file, 'utf8').trim()) {
      seen.refused += 1;
      return say(401, { error: 'who are you?' });
    }
    if (request.method !== 'POST') return say(405);
    const { id, method } = JSON.parse(body);
    if (id === undefined) return say(202);
    const result = answer(method);
    return say(200, { jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'unknown method' } }) });
  });
});
server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));
