// A server on the official SDK that keeps files where Node programs do: in the temporary folder and in the home.
//
//   node scratch_server.mjs
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer({ name: 'scratch', version: '1' });

server.registerTool('keep', { description: 'Writes, moves and reads a file in both places, and says where they are' }, async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'scratch-'));
  const settings = join(homedir(), '.config', 'scratch');
  await mkdir(settings, { recursive: true });
  const texts = [];
  for (const folder of [scratch, settings]) {
    await writeFile(join(folder, 'new'), 'kept');
    await rename(join(folder, 'new'), join(folder, 'file'));
    texts.push(await readFile(join(folder, 'file'), 'utf8'));
  }
  await rm(scratch, { recursive: true });
  return { content: [{ type: 'text', text: `${texts.join(' ')}\n${tmpdir()}\n${homedir()}` }] };
});

await server.connect(new StdioServerTransport());
