// A request to a service in the tick in which it is written to the socket: the last moment at which the operator can decide
// against it, and so the moment that counts.
import type { SimRequest } from './engine/types.ts';
import type { World } from './world.ts';

export interface Sending {
  readonly process: string;
  readonly origin: string;
  /** Undefined when the service does not know the token. */
  readonly caller: string | undefined;
  readonly kind: 'list' | 'patch' | 'token' | 'unknown';
  readonly scope: string;
  readonly alert: string;
  readonly isActive: boolean | undefined;
  readonly atMs: number;
  /** The value of the Secret that it rests on. */
  readonly credential: string | undefined;
}

/** Judges a request that is about to be written. The returned function is called once the request was written. */
export type Judge = (sending: Sending) => (() => void) | undefined;

export function sendingOf(world: World, request: Omit<SimRequest, 'atMs'>): Sending {
  const { process, method, origin, path, headers, body, sentAtMs } = request;
  const { accounts } = world.service;
  const [, scope = '', alert = ''] =
    /^\/([^?]+)\/providers\/[^/]+\/roleManagementAlerts(?:\/([^/?]+))?/.exec(path) ?? [];
  const kind = path.startsWith('/token') ? 'token' : scope === '' ? 'unknown' : method === 'PATCH' ? 'patch' : 'list';
  const [, flag] = /"isActive":(true|false)/.exec(body) ?? [];
  return {
    process,
    origin,
    caller: accounts.callerOf(headers, world.time.nowMs),
    kind,
    scope: decodeURIComponent(scope),
    alert: decodeURIComponent(alert),
    isActive: kind === 'patch' && flag !== undefined ? flag === 'true' : undefined,
    atMs: sentAtMs,
    credential: accounts.credentialBehind(headers, body, world.time.nowMs),
  };
}
