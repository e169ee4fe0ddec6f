// Compares passwords, slowly on purpose. The work must not depend on the name: not on whether it is registered, not on whether its
// password is registered as text or as a hash, and not on whether an earlier attempt had it. So every comparison derives exactly one
// key of the same cost, and nothing is derived ahead or remembered.
import { randomBytes } from 'node:crypto';

import { SecretText } from '../../lib/secret-text.ts';
import { deriveKey, type HashedSecret, type ScryptCost } from './hashed-secret.ts';
import type { ServiceUser } from './registrations.ts';
import { isSameHash, isSameSecret } from './secret-hash.ts';

/** Derives a key from a password. */
export type DeriveKey = (password: string, hashed: Pick<HashedSecret, 'cost' | 'salt'>) => Promise<Uint8Array>;

/** Whether the password is that of the user; false for an unknown one. `cost` is that of the registered hashes. */
export type PasswordCheck = (user: ServiceUser | undefined, password: string, cost: ScryptCost) => Promise<boolean>;

const noPassword = new SecretText('');

export function createPasswordCheck(derive: DeriveKey = deriveKey): PasswordCheck {
  const otherSalt = randomBytes(16);
  return async (user, password, cost) => {
    const hashed = user?.passwordHash;
    const key = await derive(password, hashed ?? { cost, salt: otherSalt });
    // For a password that is known as text, the key is not used: the derivation only makes each guess expensive.
    const isSame = hashed ? isSameHash(hashed.key, key) : isSameSecret(user?.password ?? noPassword, password);
    return isSame && user !== undefined;
  };
}
