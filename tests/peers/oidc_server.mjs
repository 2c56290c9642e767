// An MCP server that wants tokens, and the OpenID provider (npm oidc-provider) that issues them.
//
//   node oidc_server.mjs [seconds a token lives]     prints "key BASE64URL", then "listening PORT", and serves /mcp
//
// The key is the private one (PEM) of the client "robot", which may use client credentials. Everybody else registers.
// People log in with any name and password. The tool "counts" tells what the provider has done so far.
import { createServer } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import { Provider } from 'oidc-provider';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';

const life = Number(process.argv[2] ?? 3600);
const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

const robot = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const counts = { registered: 0, authorization_code: 0, refresh_token: 0, client_credentials: 0, refused: 0 };

const asServer = createServer();
const rsServer = createServer();
const issuer = `http://127.0.0.1:${await listen(asServer)}`;
const resource = `http://127.0.0.1:${await listen(rsServer)}/mcp`;
const scope = 'mcp:read mcp:write';

const provider = new Provider(issuer, {
  clients: [{
    client_id: 'robot',
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    jwks: { keys: [{ ...robot.publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    scope,
  }],
  scopes: ['openid', 'offline_access', 'mcp:read', 'mcp:write'],
  clientAuthMethods: ['none', 'client_secret_basic', 'private_key_jwt'],
  findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  cookies: { keys: ['only for tests'] },
  pkce: { required: () => true },
  rotateRefreshToken: () => true,
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (ctx, wanted) => {
        if (wanted !== resource) throw new Error('unknown resource');
        return { scope, audience: resource, accessTokenTTL: life, accessTokenFormat: 'opaque' };
      },
    },
  },
});
provider.on('registration_create.success', () => { counts.registered += 1; });
provider.on('grant.success', (ctx) => { counts[ctx.oidc.params.grant_type] += 1; });
provider.on('grant.error', () => { counts.refused += 1; });
asServer.on('request', provider.callback());

function build() {
  const server = new McpServer({ name: 'protected-fixture', version: '1.0.0' }, { capabilities: { tools: {} } });
  const inputSchema = fromJsonSchema({ type: 'object', properties: {} });
  const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
  server.registerTool('counts', { description: 'What the provider did', inputSchema }, async () => text(JSON.stringify(counts)));
  server.registerTool('write', { description: 'Needs mcp:write', inputSchema }, async () => text('written'));
  return server;
}
const serveMcp = toNodeHandler(createMcpHandler(build));

async function refusal(request) {
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const token = bearer && ((await provider.AccessToken.find(bearer)) ?? (await provider.ClientCredentials.find(bearer)));
  const metadata = `resource_metadata="${new URL('/.well-known/oauth-protected-resource/mcp', resource)}"`;
  if (!token || !token.isValid || token.aud !== resource) return [401, `Bearer ${metadata}, scope="mcp:read"`];
  if (request.headers['mcp-name'] === 'write' && !token.scope.split(' ').includes('mcp:write'))
    return [403, `Bearer error="insufficient_scope", scope="mcp:write", ${metadata}`];
  return undefined;
}

rsServer.on('request', async (request, response) => {
  if (request.url === '/.well-known/oauth-protected-resource/mcp') {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ resource, authorization_servers: [issuer], scopes_supported: scope.split(' ') }));
    return;
  }
  const refused = await refusal(request);
  if (refused) {
    response.writeHead(refused[0], { 'WWW-Authenticate': refused[1] }).end();
    return;
  }
  serveMcp(request, response);
});

console.log(`key ${Buffer.from(robot.privateKey.export({ type: 'pkcs8', format: 'pem' })).toString('base64url')}`);
console.log(`listening ${new URL(resource).port}`);
