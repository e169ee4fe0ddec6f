// The accounts of the simulated service: bearer tokens that always work, clients with a secret, and the tokens of these clients.
// Two addresses of one service share their accounts.
import type { SimRequest } from '../engine/types.ts';

const tokenLifeMs = 3_600_000;

interface IssuedToken {
  readonly client: string;
  /** The client secret that fetched it. */
  readonly secret: string;
  readonly endsAtMs: number;
}

export class SimAccounts {
  /** Token → who. */
  readonly staticTokens = new Map<string, string>();
  /** Id → secret. */
  readonly clients = new Map<string, string>();
  readonly #issued = new Map<string, IssuedToken>();
  #tokens = 0;

  /** Revokes every issued token. */
  expireTokens(): void {
    this.#issued.clear();
  }

  /** The name behind the token of a request; undefined for an unknown or revoked token. */
  callerOf(headers: SimRequest['headers'], nowMs: number): string | undefined {
    const token = bearerOf(headers);
    const issued = this.#issued.get(token);
    if (issued && issued.endsAtMs > nowMs) return issued.client;
    return this.staticTokens.get(token);
  }

  /** The value of the Secret behind a request: the token itself, or the secret that fetched its token. */
  credentialBehind(headers: SimRequest['headers'], body: string): string | undefined {
    const token = bearerOf(headers);
    if (token !== '') return this.#issued.get(token)?.secret ?? token;
    return loginOf(headers, body).secret || undefined;
  }

  /** RFC 6749, section 4.4; undefined when the client is refused. */
  issue(headers: SimRequest['headers'], body: string, nowMs: number): { client: string; answer: object } | undefined {
    const { id, secret } = loginOf(headers, body);
    if (secret === '' || this.clients.get(id) !== secret) return undefined;
    const token = `canary-issued-token-${id.replace(/[^a-z-]/g, '-')}-${this.#tokens++}`;
    this.#issued.set(token, { client: id, secret, endsAtMs: nowMs + tokenLifeMs });
    return { client: id, answer: { access_token: token, token_type: 'Bearer', expires_in: tokenLifeMs / 1000 } };
  }
}

function bearerOf(headers: SimRequest['headers']): string {
  return /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1] ?? '';
}

function loginOf(headers: SimRequest['headers'], body: string): { id: string; secret: string } {
  const basic = /^Basic (.+)$/.exec(headers['authorization'] ?? '')?.[1];
  const form = new URLSearchParams(body);
  const [id = '', secret = ''] = basic
    ? Buffer.from(basic, 'base64').toString('utf8').split(':').map(decodeURIComponent)
    : [form.get('client_id') ?? '', form.get('client_secret') ?? ''];
  return { id, secret };
}
