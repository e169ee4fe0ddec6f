// The credentials of the API server: read from the kubeconfig once for all callers, and again when they are old or rejected.
import type { ConnectionOptions } from 'node:tls';

import type { KubeConfig } from '@kubernetes/client-node';

import { Cached } from '../../lib/cached.ts';
import { cleanText } from '../../lib/clean-text.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { KubeError } from './kube-error.ts';

/** What client-node derives from a kubeconfig for one connection. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

type TlsMaterial = Partial<
  Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized' | 'minVersion'>
>;

/** How long credentials are cached. client-node has its own cache below: token files for a minute, plugins until expiry. */
const credentialsLifeMs = 10_000;

/** Allows for a plugin that calls a remote service. */
const credentialsDeadlineMs = 15_000;

/** Loads the kubeconfig now. `forget`: the API server rejected the credentials. */
export function createCredentials(options: {
  readonly load: () => KubeConfig;
  readonly clock: Clock;
  readonly userAgent: string;
}) {
  const { load, clock, userAgent } = options;
  let config = load();
  let loadedAtMs = clock.monotonic();
  let isRefused = false;
  const cached = new Cached<Credentials>({
    clock,
    async load() {
      const staleAtMs = clock.monotonic() + credentialsLifeMs;
      if (isRefused) config = load();
      isRefused = false;
      return { value: await decodeCredentials(config, userAgent), staleAtMs };
    },
    deadlineMs: credentialsDeadlineMs,
    late: () => new Error('the credential plugin did not finish before the deadline'),
    toFailure: credentialFailure,
    longestHoldMs: 1000,
    isKeptAfter: () => false,
  });
  return {
    read: async () => cached.current(),
    forget() {
      const nowMs = clock.monotonic();
      if (nowMs - loadedAtMs < credentialsLifeMs) return;
      loadedAtMs = nowMs;
      isRefused = true;
      cached.expire();
    },
  };
}

function credentialFailure(cause: unknown): KubeError {
  return new KubeError('kube-denied', 'The credential for the API server cannot be read.', {
    reason: 'CredentialUnreadable',
    detail: cleanText(messageOf(cause), 512),
    cause,
  });
}

/** client-node puts headers and TLS material into the options of a `node:https` request. A token may end in a line feed. */
async function decodeCredentials(config: KubeConfig, userAgent: string): Promise<Credentials> {
  const raw: Parameters<KubeConfig['applyToHTTPSOptions']>[0] = {};
  await config.applyToHTTPSOptions(raw);
  const { ca, cert, key, rejectUnauthorized, servername } = raw as ConnectionOptions;
  const headers: Record<string, string> = { 'user-agent': userAgent };
  for (const [name, value] of Object.entries((raw.headers ?? {}) as Record<string, unknown>)) {
    headers[name.toLowerCase()] = String(value).trim();
  }
  if (typeof raw.auth === 'string') headers['authorization'] = `Basic ${Buffer.from(raw.auth).toString('base64')}`;
  const tls = {
    ca,
    cert,
    key,
    servername,
    rejectUnauthorized: rejectUnauthorized !== false,
    minVersion: 'TLSv1.2' as const,
  };
  return { headers, tls: withoutUndefined(tls) };
}
