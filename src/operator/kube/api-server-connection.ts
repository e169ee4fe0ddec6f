// A connection to one API server: its address, its credentials and its sockets. Requests share a few sockets; every watch has
// its own. client-node reads the credentials. TLS is always verified unless the kubeconfig disables that.
import type { KubeConfig } from '@kubernetes/client-node';
import { buildConnector, Pool, type Dispatcher } from 'undici';

import type { Clock } from '../../lib/clock.ts';
import { UsageError } from '../../lib/command-errors.ts';
import { type Credentials, createCredentials } from './api-server-credentials.ts';

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
