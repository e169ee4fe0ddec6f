// Parses the users and clients that options give as `NAME:SECRET`.
import { SecretText } from '../lib/secret-text.ts';
import type { ServiceClient, ServiceUser } from './oauth/registrations.ts';
import { requireThat } from './require-option.ts';
import { requireLongPassword, requireLongSecret } from './secret-length.ts';

/** Parses `NAME:PASSWORD` pairs, in the same way as `parseServiceClients`. */
export function parseServiceUsers(texts: readonly string[]): readonly ServiceUser[] {
  const message = pairProblem('--user', 'NAME:PASSWORD');
  return parsePairs(texts, message).map(([name, text]) => {
    const password = new SecretText(text);
    requireLongPassword(`The password of the user ${name} (--user)`, password);
    return { name, password };
  });
}

/** Parses `ID:SECRET` pairs. One text may contain several pairs separated by white space, as an environment variable does. */
export function parseServiceClients(texts: readonly string[]): readonly ServiceClient[] {
  const message = pairProblem('--client', 'ID:SECRET');
  return parsePairs(texts, message).map(([id, text]) => {
    const secret = new SecretText(text);
    requireLongSecret(`The secret of the client ${id} (--client)`, secret);
    return { id, secret };
  });
}

function pairProblem(option: string, form: string): string {
  return `${option} needs ${form}, neither of them empty; white space separates several, so it cannot be in one.`;
}

function parsePairs(texts: readonly string[], message: string): readonly (readonly [string, string])[] {
  const pairs = texts.flatMap((text) => text.split(/\s+/)).filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const [, name = '', secret = ''] = /^([^:]+):(.+)$/.exec(pair) ?? [];
    requireThat(name !== '' && secret !== '', message);
    return [name, secret];
  });
}
