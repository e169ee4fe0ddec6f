// Marks of passwords: text that changes when a user gets another password. A sign-in keeps the mark of its password, so that its refresh
// tokens end with the password. A mark must not help to guess the password, so that of a password in plain text is derived like a hash.
import { randomBytes } from 'node:crypto';

import type { SqlQueries } from '../database/sql.ts';
import { deriveKey, plainCost } from './hashed-secret.ts';
import type { DeriveKey } from './password-check.ts';
import type { ServiceUser } from './registrations.ts';
import { hashSecret } from './secret-hash.ts';

export type PasswordMarkOf = (user: ServiceUser) => Promise<string>;

const saltSetting = 'password-mark-salt';
const saltBytes = 16;

/** Makes the mark of a registration once, and one at a time, because a derivation keeps a processor busy. */
export function createPasswordMarks(sql: SqlQueries, derive: DeriveKey = deriveKey): PasswordMarkOf {
  const made = new WeakMap<ServiceUser, Promise<string>>();
  let last: Promise<unknown> = Promise.resolve();

  const make = async ({ password, passwordHash }: ServiceUser): Promise<string> => {
    if (passwordHash) return markOf(passwordHash.salt, passwordHash.key);
    const salt = await keptSalt(sql);
    return markOf(salt, await derive(password?.reveal() ?? '', { cost: plainCost, salt }));
  };

  return (user) => {
    const earlier = made.get(user);
    if (earlier) return earlier;
    const mark = last.then(() => make(user));
    last = mark.catch(() => made.delete(user));
    made.set(user, mark);
    return mark;
  };
}

function markOf(salt: Uint8Array, key: Uint8Array): string {
  const text = Buffer.concat([salt, key]).toString('base64url');
  return Buffer.from(hashSecret(text)).toString('base64url');
}

/** One for all processes of the database. */
async function keptSalt(sql: SqlQueries): Promise<Uint8Array> {
  const read = async () => (await sql.query('SELECT value FROM setting WHERE name = $1', [saltSetting]))[0]?.['value'];
  const kept = await read();
  if (typeof kept === 'string') return Buffer.from(kept, 'base64url');
  await sql.query('INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
    saltSetting,
    randomBytes(saltBytes).toString('base64url'),
  ]);
  return Buffer.from(String(await read()), 'base64url');
}
