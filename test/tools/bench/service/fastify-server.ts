// What a team would write in an afternoon: updates with fastify, node:sqlite and jose, and a log line for each request.
// `node fastify-server.ts FILE DATABASE` reads its alerts from the JSON file `{ SCOPE: [ALERT, …] }`, and keeps them, as safe as the service
// does, in the file DATABASE. Prints its URL, then a token.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { fastify, type FastifyRequest } from 'fastify';
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';

const algorithm = 'ES256';
const audience = 'http://bench';
const { privateKey, publicKey } = await generateKeyPair(algorithm);
const token = await new SignJWT({ scope: 'user_impersonation' })
  .setProtectedHeader({ alg: algorithm })
  .setIssuer(audience)
  .setAudience(audience)
  .setSubject('bench')
  .setIssuedAt()
  .setExpirationTime('1h')
  .sign(privateKey);

interface Alert {
  readonly name: string;
}
const seed = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Readonly<Record<string, readonly Alert[]>>;

const database = new DatabaseSync(process.argv[3] ?? '');
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec('CREATE TABLE alert (scope TEXT, name TEXT, document TEXT, PRIMARY KEY (scope, name)) STRICT');
const insert = database.prepare('INSERT INTO alert VALUES (?, ?, ?)');
for (const [scope, alerts] of Object.entries(seed)) {
  for (const alert of alerts) insert.run(scope, alert.name, JSON.stringify(alert));
}
const update = database.prepare(
  `UPDATE alert SET document = json_set(document, '$.properties.isActive', json(?)) WHERE scope = ? AND name = ?`,
);

const app = fastify({ logger: { stream: process.stderr }, disableRequestLogging: true });
app.addHook('onResponse', async ({ method, log }, { statusCode, elapsedTime }) => {
  log.info({ method, statusCode, elapsedTime }, 'request answered');
});

app.addHook('onRequest', async ({ headers: { authorization = '' } }) => {
  await jwtVerify(authorization.replace('Bearer ', ''), publicKey, {
    algorithms: [algorithm],
    issuer: audience,
    audience,
  });
});

type UpdateRequest = FastifyRequest<{
  Params: { scope: string; alert: string };
  Body: { properties: { isActive: boolean } };
}>;
const path = '/subscriptions/:scope/providers/Vendor.Authorization/roleManagementAlerts/:alert';
app.patch(path, async ({ params: { scope, alert }, body }: UpdateRequest, reply) => {
  update.run(String(body.properties.isActive), scope, alert);
  return reply.code(204).send();
});

process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n${token}\n`);
process.once('SIGTERM', () => void app.close().then(() => process.exit()));
