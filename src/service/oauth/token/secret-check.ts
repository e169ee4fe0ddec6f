// Compares the secret of a client. A hash of a secret costs a derivation, which waits with those of the passwords; a secret that was
// right is remembered as long as its registration, so that a client that is in use never waits.
import { SecretText } from '../../../lib/secret-text.ts';
import type { Comparisons } from '../comparisons.ts';
import { deriveKey, type HashedSecret } from '../hashed-secret.ts';
import type { DeriveKey } from '../password-check.ts';
import type { ServiceClient } from '../registrations.ts';
import { hashSecret, isSameHash, isSameSecret } from '../secret-hash.ts';

/** `busy`: too many concurrent comparisons; the secret was not checked. */
export type SecretOutcome = 'right' | 'wrong' | 'busy';

export interface SecretCheck {
  /** `secrets` are the readings of what the client sent; one of them must be right. `network`: whose derivations wait together. */
  check(client: ServiceClient | undefined, secrets: readonly string[], network: string): Promise<SecretOutcome>;
}

const noSecret = new SecretText('');

export function createSecretCheck(comparisons: Comparisons, derive: DeriveKey = deriveKey): SecretCheck {
  const known = new WeakMap<HashedSecret, Uint8Array>();

  const isDerivedFromOne = async (hashed: HashedSecret, secrets: readonly string[]): Promise<boolean> => {
    for (const secret of secrets) {
      if (!isSameHash(hashed.key, await derive(secret, hashed))) continue;
      known.set(hashed, hashSecret(secret));
      return true;
    }
    return false;
  };

  const checkHashed = async (hashed: HashedSecret, secrets: readonly string[], network: string) => {
    const earlier = known.get(hashed);
    if (earlier && secrets.some((secret) => isSameHash(earlier, hashSecret(secret)))) return 'right';
    const isRight = await comparisons.run(network, () => isDerivedFromOne(hashed, secrets));
    if (isRight === undefined) return 'busy';
    return isRight ? 'right' : 'wrong';
  };

  return {
    async check(client, secrets, network) {
      if (client?.secretHash) return checkHashed(client.secretHash, secrets, network);
      const expected = client?.secret ?? noSecret;
      // Compares every reading, so that the time does not depend on which one is right.
      const isRight = secrets.filter((secret) => isSameSecret(expected, secret)).length > 0;
      return isRight && client?.secret ? 'right' : 'wrong';
    },
  };
}
