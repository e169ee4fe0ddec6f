// Compares passwords, slowly on purpose. The work must not depend on the name: not on whether it is registered, and not on whether
// an earlier attempt had it. So every comparison derives exactly one key, and nothing is derived ahead or remembered.
import { randomBytes, scrypt } from 'node:crypto';

import { SecretText } from '../../lib/secret-text.ts';
import type { ServiceUser } from './registrations.ts';
import { isSameSecret } from './secret-hash.ts';

/** Derives a key from a password, on a thread of Node's pool. */
export type DeriveKey = (password: string) => Promise<unknown>;

/** Whether the password is that of the user; false for an unknown one. */
export type PasswordCheck = (user: ServiceUser | undefined, password: string) => Promise<boolean>;

const noPassword = new SecretText('');

export function createPasswordCheck(derive: DeriveKey = createKeyDerivation()): PasswordCheck {
  return async (user, password) => {
    // The key is not used: a registered password is known as text, and the derivation only makes each guess expensive.
    await derive(password);
    const isSame = isSameSecret(user?.password ?? noPassword, password);
    return isSame && user !== undefined;
  };
}

function createKeyDerivation(): DeriveKey {
  const salt = randomBytes(16);
  return (password) =>
    new Promise((resolve, reject) => {
      scrypt(password, salt, 32, (error, key) => (error ? reject(error) : resolve(key)));
    });
}
