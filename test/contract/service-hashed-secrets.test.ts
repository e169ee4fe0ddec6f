// `rolealerts serve hash`, and a client that is registered with what it prints.
import { expect, test } from 'vitest';

import { runProgram } from '../../src/commands/program.ts';
import { parseHashedSecret } from '../../src/service/oauth/hashed-secret.ts';
import { recordingHost } from '../support/rigs/recording-host.ts';
import { startService } from '../support/servers/alerts-service-cases.ts';

/** `rolealerts serve hash` with this standard input. */
async function runHash(text: string, isTerminal = false) {
  const { host, written } = recordingHost({}, text);
  const exitCode = await runProgram(['serve', 'hash'], { ...host, input: { ...host.input, isTerminal } });
  return { exitCode, ...written };
}

test('a client with the hash of its secret gets tokens, and with another secret none', async () => {
  const secretHash = parseHashedSecret((await runHash('a secret with spaces\n')).out.trimEnd());
  if ('problem' in secretHash) throw new Error(secretHash.problem);
  const service = await startService({ clients: [{ id: 'job', secretHash }] });
  const ask = async (secret: string) => {
    const authorization = `Basic ${btoa(`job:${secret}`)}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization };
    const sent = { method: 'POST', target: '/common/oauth2/token', headers, body: 'grant_type=client_credentials' };
    return (await service.send(sent)).status;
  };
  expect([await ask('a+secret+with+spaces'), await ask('another'), await ask('')]).toEqual([200, 401, 401]);
});

test.each([
  ['nothing', '', 'The secret on standard input is empty.'],
  ['a whole file', 'x'.repeat(5000), 'The secret is longer than 4096 bytes.'],
])('serve hash refuses %s', async (_, text, sentence) => {
  expect(await runHash(text)).toEqual({ exitCode: 64, out: '', err: `rolealerts: ${sentence}\n` });
});

test('serve hash reads no terminal, which would show the secret', async () => {
  const sentence = 'Send the secret on standard input: rolealerts serve hash < FILE.';
  expect(await runHash('secret', true)).toEqual({ exitCode: 64, out: '', err: `rolealerts: ${sentence}\n` });
});
