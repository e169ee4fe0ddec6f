// Tokens of ServiceAccounts: the simulated API server issues them, and a service that trusts the cluster verifies them here. They look
// like JSON Web Tokens; their signature is a canary.
import { startOfTimeMs } from '../engine/sim-process.ts';
import { Refusal } from './object.ts';
import type { SentObject } from './sent-object.ts';
import type { ObjectStore } from './store.ts';

/** Of every cluster of the simulation; an audience that its API server accepts. */
export const clusterIssuer = 'https://kubernetes.sim';

/** What a token says, and of which object it is. */
export interface AccountToken {
  /** `namespace/name` of the ServiceAccount. */
  readonly account: string;
  readonly uid: string;
  readonly audience: string;
  /** Virtual milliseconds. */
  readonly endsAtMs: number;
}

interface TokenSpec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
}

export class TokenRequests {
  readonly #store: ObjectStore;
  readonly #issued = new Map<string, AccountToken>();
  /** Tokens of an earlier key of the issuer, which nothing trusts any more. */
  #key = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Answers a TokenRequest for the account. Throws 404, 409 for another uid, and 422. */
  issue(account: string, sent: SentObject, nowMs: number): object {
    const found = this.#store.get('serviceaccounts', account);
    const [, name = ''] = account.split('/');
    if (!found) throw new Refusal(404, `serviceaccounts "${name}" not found`);
    const { uid } = found.metadata;
    if ((sent.metadata?.uid ?? uid) !== uid) throw new Refusal(409, 'the UID in the token request does not match');
    const { audiences = [clusterIssuer], expirationSeconds = 3600 } = (sent['spec'] ?? {}) as TokenSpec;
    if (expirationSeconds < 600) throw new Refusal(422, 'may not specify a duration less than 10 minutes');
    const token = this.#sign(account, uid, audiences, nowMs + expirationSeconds * 1000);
    const expirationTimestamp = new Date(startOfTimeMs + nowMs + expirationSeconds * 1000).toISOString();
    return {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name, namespace: found.metadata.namespace },
      spec: { audiences, expirationSeconds },
      status: { token, expirationTimestamp },
    };
  }

  /** What a valid token says; undefined for any other text. */
  verify(token: string, nowMs: number): AccountToken | undefined {
    const known = this.#issued.get(token);
    return known && known.endsAtMs > nowMs ? known : undefined;
  }

  /** The issuer has new keys, and what the old ones signed is worth nothing any more. */
  rotate(): void {
    this.#key += 1;
    this.#issued.clear();
  }

  #sign(account: string, uid: string, audiences: readonly string[], endsAtMs: number): string {
    const sub = `system:serviceaccount:${account.replace('/', ':')}`;
    const exp = Math.floor((startOfTimeMs + endsAtMs) / 1000);
    const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
    const head = `${part({ alg: 'RS256', kid: `key-${this.#key}` })}.${part({ iss: clusterIssuer, sub, aud: audiences, exp })}`;
    const token = `${head}.canary-assertion-${this.#issued.size}-${this.#key}`;
    if (audiences.length === 1) this.#issued.set(token, { account, uid, audience: audiences[0] ?? '', endsAtMs });
    return token;
  }
}
