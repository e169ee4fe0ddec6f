// A connection to one API server: its address, its credentials and its sockets. Requests share a few sockets; every watch has
// its own. client-node reads the credentials from the kubeconfig, once for all callers, and again when they are old or rejected. TLS is always verified unless the kubeconfig disables that.
import type { ConnectionOptions } from 'node:tls';

import type { KubeConfig } from '@kubernetes/client-node';
import { buildConnector, type Dispatcher, Pool } from 'undici';

import { Cached } from '../../lib/cached.ts';
import { cleanText } from '../../lib/clean-text.ts';
import type { Clock } from '../../lib/clock.ts';
import { UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { withoutUndefined } from '../../lib/json-shape.ts';
import { KubeError } from './kube-error.ts';

export interface ApiServerConnection {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The prefix of every request's path (for a cluster behind a gateway); empty, or without a slash at its end. */
  readonly basePath: string;
  readonly requests: Dispatcher;
  readonly watches: Dispatcher;
  /** Credentials and user agent. Rejects with `kube-denied` when a token file or a credential plugin fails. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Call it after a 401: the next request reads the kubeconfig, its files and plugins again, at most every 10 s. */
  forgetCredentials(): void;
  /** Closes every socket; calls in progress fail. Idempotent. */
  close(): Promise<void>;
}

/** Status writes share these, even a thousand at a time. */
const sharedSockets = 4;

const connectTimeoutMs = 10_000;

/** Below the 90 s after which an API server drops an idle connection, so that a write never meets a closing one. */
const idleSocketMs = 60_000;

/** When the first keep-alive probe of an idle socket is sent; the system sends about ten more, a second apart, before it closes the socket. */
const firstProbeMs = 15_000;

const socketOptions = {
  allowH2: false,
  timeout: connectTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelay: firstProbeMs,
} as const;

/**
 * Opens no socket before the first request. Calls `load` now, and again after the server rejected the credentials.
 * Throws `usage` when the kubeconfig names no valid server.
 */
export function createApiServerConnection(options: {
  readonly load: () => KubeConfig;
  readonly clock: Clock;
  readonly userAgent: string;
}): ApiServerConnection {
  const server = serverOf(options.load());
  const credentials = createCredentials(options);
  const connect = createConnector(() => credentials.read());
  const shared = {
    connect,
    keepAliveTimeout: idleSocketMs,
    allowH2: false,
    bodyTimeout: 0,
    headersTimeout: 0,
  } as const;
  const requests = new Pool(server.origin, { ...shared, connections: sharedSockets });
  const watches = new Pool(server.origin, shared);
  return {
    origin: server.origin,
    basePath: server.pathname.replace(/\/+$/, ''),
    requests,
    watches,
    headers: async () => (await credentials.read()).headers,
    forgetCredentials: () => credentials.forget(),
    async close() {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}

function serverOf(config: KubeConfig): URL {
  const address = config.getCurrentCluster()?.server ?? '';
  if (!URL.canParse(address)) throw new UsageError('The kubeconfig names no valid server address.');
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new UsageError('The kubeconfig names a server address that is neither https nor http.');
  }
  return url;
}

/** Every new socket uses the current TLS material, so that a rotated CA or client certificate needs no restart. */
function createConnector(read: () => Promise<Credentials>): buildConnector.connector {
  let built: { readonly material: string; readonly connector: buildConnector.connector } | undefined;
  const connectorFor = async () => {
    const { tls } = await read();
    const material = JSON.stringify(tls);
    if (built?.material !== material) built = { material, connector: buildConnector({ ...tls, ...socketOptions }) };
    return built.connector;
  };
  return (target, callback) => {
    const connect = async () => {
      try {
        (await connectorFor())(target, callback);
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null);
      }
    };
    void connect();
  };
}

/** What client-node derives from a kubeconfig for one connection. */
interface Credentials {
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
function createCredentials(options: {
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
