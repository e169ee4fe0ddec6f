// Bare requests to a real API server, as the administrator or as another user. What the server answers is the result,
// refusals included; nothing is interpreted but the form of a Kubernetes Status.
import { Agent, request } from 'undici';

import type { SecretText } from '../../../src/lib/secret-text.ts';

export interface ApiServer {
  readonly url: string;
  readonly adminToken: SecretText;
  /** PEM. */
  readonly certificateAuthority: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** The object or the `Status` that came back; undefined for a watch, whose response is not waited for. */
  readonly body: ApiObject | undefined;
}

/** As loose as an API server's response is. */
export interface ApiObject {
  readonly kind?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly Cause[] };
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> | string;
}

/** Why an object is invalid: the field, and the sentence that kubectl prints after it. */
export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The caller: the administrator, a user whom the administrator impersonates, or the owner of a token. */
export type Asker =
  | 'admin'
  | { readonly user: string; readonly groups?: readonly string[] }
  | { readonly token: string };

export interface KubeRequests {
  send(method: Method, path: string, body?: unknown, asker?: Asker): Promise<ApiAnswer>;
  stop(): Promise<void>;
}

/** A PATCH is a merge patch. */
export function openKubeRequests(server: ApiServer): KubeRequests {
  // Over HTTP/2, undici joins several groups in one header.
  const connect = { ca: server.certificateAuthority };
  const dispatcher = new Agent({ connect, allowH2: false, headersTimeout: 30_000 });
  const headersOf = (asker: Asker): Record<string, string | string[]> => {
    if (typeof asker === 'object' && 'token' in asker) return { authorization: `Bearer ${asker.token}` };
    const admin = { authorization: `Bearer ${server.adminToken.reveal()}` };
    if (asker === 'admin') return admin;
    const groups = asker.groups && { 'impersonate-group': [...asker.groups] };
    return { ...admin, 'impersonate-user': asker.user, ...groups };
  };
  return {
    async send(method, path, body, asker = 'admin') {
      const answer = await request(`${server.url}${path}`, {
        dispatcher,
        method,
        headers: { ...headersOf(asker), 'content-type': `application/${method === 'PATCH' ? 'merge-patch+' : ''}json` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!path.includes('watch=true') || answer.statusCode !== 200) {
        return { status: answer.statusCode, body: (await answer.body.json()) as ApiObject };
      }
      answer.body.on('error', () => undefined).destroy();
      return { status: answer.statusCode, body: undefined };
    },
    stop: () => dispatcher.destroy(),
  };
}
