// `rolealerts serve hash`: the hash of a secret or a password for the registrations file.
import { trimEndOf } from '../lib/clean-text.ts';
import { UsageError } from '../lib/command-errors.ts';
import { hashNewSecret } from '../service/oauth/hashed-secret.ts';
import { defineCommand } from './command.ts';

/** Longer than any secret; the limit keeps a wrong file out. */
const secretLimitBytes = 4096;

export const serveHashCommand = defineCommand({
  name: 'hash',
  description: 'Read a secret from standard input and print its hash, for secretHash and passwordHash.',
  more: 'Line ends after the secret do not belong to it, as in a secretFile.',
  examples: ['rolealerts serve hash < secret.txt'],
  options: {},
  async run(_values, { input, out }) {
    if (input.isTerminal) throw new UsageError('Send the secret on standard input: rolealerts serve hash < FILE');
    const bytes = await input.read(secretLimitBytes);
    if (bytes.length > secretLimitBytes) throw new UsageError(`The secret is longer than ${secretLimitBytes} bytes.`);
    const secret = trimEndOf(new TextDecoder('utf-8', { fatal: false }).decode(bytes), '\r\n');
    if (secret === '') throw new UsageError('The secret on standard input is empty.');
    out.write(`${await hashNewSecret(secret)}\n`);
    return 0;
  },
});
