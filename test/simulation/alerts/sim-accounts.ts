// The accounts of the simulated service: bearer tokens that always work, clients with a secret or a trusted ServiceAccount, and the
// tokens of these clients. Two addresses of one service share their accounts.
import type { SimRequest } from '../engine/types.ts';

const tokenLifeMs = 3_600_000;

/** The ServiceAccount that a client trusts in place of a secret. */
export interface TrustedAccount {
  /** `namespace/name`. */
  readonly account: string;
  readonly audience: string;
}

/** What a token of a ServiceAccount says; undefined when it is not valid. */
type VerifyAssertion = (token: string, nowMs: number) => (TrustedAccount & { readonly uid: string }) | undefined;

interface IssuedToken {
  readonly client: string;
  /** The client secret, or the consent of the ServiceAccount, that fetched it. */
  readonly secret: string;
  readonly endsAtMs: number;
}

export class SimAccounts {
  /** Token → who. */
  readonly staticTokens = new Map<string, string>();
  /** Id → secret. */
  readonly clients = new Map<string, string>();
  /** Id → the account whose tokens are its assertions. */
  readonly trusts = new Map<string, TrustedAccount>();
  /** Who may list alerts and change none. */
  readonly readers = new Set<string>();
  verifyAssertion: VerifyAssertion = () => undefined;
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

  /** The value of the Secret behind a request: the token itself, or the secret that fetched its token. Or the consent likewise. */
  credentialBehind(headers: SimRequest['headers'], body: string, nowMs: number): string | undefined {
    const token = bearerOf(headers);
    if (token !== '') return this.#issued.get(token)?.secret ?? token;
    return this.#consentIn(body, nowMs) ?? (loginOf(headers, body).secret || undefined);
  }

  #consentIn(body: string, nowMs: number): string | undefined {
    const assertion = this.verifyAssertion(new URLSearchParams(body).get('client_assertion') ?? '', nowMs);
    return assertion && consentText(assertion);
  }

  /** RFC 7523, section 2.2: the client whose account the assertion is of, for the registered audience. */
  #federatedLogin(body: string, nowMs: number): { id: string; secret: string } | undefined {
    const form = new URLSearchParams(body);
    const id = form.get('client_id') ?? '';
    const trust = this.trusts.get(id);
    const assertion = this.verifyAssertion(form.get('client_assertion') ?? '', nowMs);
    if (form.get('client_assertion_type') !== assertionType || !trust || !assertion) return undefined;
    if (assertion.account !== trust.account || assertion.audience !== trust.audience) return undefined;
    return { id, secret: consentText(assertion) };
  }

  #secretLogin(headers: SimRequest['headers'], body: string): { id: string; secret: string } | undefined {
    const login = loginOf(headers, body);
    return login.secret !== '' && this.clients.get(login.id) === login.secret ? login : undefined;
  }

  /** RFC 6749, section 4.4; undefined when the client is refused. */
  issue(headers: SimRequest['headers'], body: string, nowMs: number): { client: string; answer: object } | undefined {
    const login = this.#federatedLogin(body, nowMs) ?? this.#secretLogin(headers, body);
    if (!login) return undefined;
    const { id, secret } = login;
    const token = `canary-issued-token-${id.replace(/[^a-z-]/g, '-')}-${this.#tokens++}`;
    this.#issued.set(token, { client: id, secret, endsAtMs: nowMs + tokenLifeMs });
    return { client: id, answer: { access_token: token, token_type: 'Bearer', expires_in: tokenLifeMs / 1000 } };
  }
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The consent of one ServiceAccount to one audience, as the credential behind a request. */
export function consentText({ account, uid, audience }: TrustedAccount & { readonly uid: string }): string {
  return `${account}:${uid}:${audience}`;
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
