// The client of a connection for one command: the limits of its spec, a credential that does not change, and a rate limiter of its
// own, which begins with the whole burst.
import { userAgentOf } from '../../lib/build-facts.ts';
import type { Clock } from '../../lib/clock.ts';
import { LocalError } from '../../lib/command-errors.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import { silentLogger } from '../../lib/log.ts';
import type { Proxies } from '../../lib/proxy.ts';
import type { Random } from '../../lib/random.ts';
import type { AlertClient } from '../../operator/alert-client/alert-client.ts';
import { connectAlertClient, connectionOptions, type OpenDispatcher } from '../../operator/alert-client/connect.ts';
import type { UrlRules } from '../../operator/alert-client/endpoint.ts';
import { RateLimiter } from '../../operator/alert-client/rate-limiter.ts';
import { configMapValueOf } from '../../operator/kube/credentials.ts';
import { type AnyConnection, caBundleOf } from '../../policy/resources.ts';
import { credentialFor, type CredentialPlaces } from './credentials.ts';
import type { TokenPlace } from './planned-scope.ts';

export interface ServiceAccess extends UrlRules {
  readonly credentials: CredentialPlaces;
  /** By `namespace/name`. */
  readonly configMaps: ReadonlyMap<string, JsonObject>;
  readonly allowPrivateEndpoints: boolean;
  readonly proxies: Proxies | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Replaces the sockets in tests. */
  readonly openDispatcher?: OpenDispatcher | undefined;
}

interface OpenedClient {
  readonly client: AlertClient;
  /** Undefined for the credential in a Secret. */
  readonly tokenPlace: TokenPlace | undefined;
  stop(): Promise<void>;
}

/** `connections`: all that the command uses. Sends nothing. Rejects as `credentialFor`. */
async function openClient(
  connection: AnyConnection,
  connections: readonly AnyConnection[],
  access: ServiceAccess,
): Promise<OpenedClient> {
  const { credentials, clock } = access;
  const { authentication, value, tokenPlace } = await credentialFor(connection, connections, credentials, clock.now());
  const caBundle = caBundleFor(connection, access);
  const { requestsPerHour, burst } = connection.spec.limits;
  const rateLimiter = new RateLimiter({ clock, requestsPerHour, burst, initialTokens: burst });
  const client = connectAlertClient({
    ...access,
    ...connectionOptions(connection),
    rulesOwner: 'this command',
    authentication,
    readCredential: async () => value,
    readCaBundle: caBundle === undefined ? undefined : async () => caBundle,
    rateLimiter,
    log: silentLogger,
    userAgent: userAgentOf('rolealerts-cli'),
  });
  return {
    client,
    tokenPlace,
    async stop() {
      rateLimiter.stop();
      await client.stop();
    },
  };
}

function caBundleFor(connection: AnyConnection, { configMaps, credentials }: ServiceAccess): string | undefined {
  const reference = caBundleOf(connection, credentials.clusterNamespace);
  if (!reference) return undefined;
  const { namespace, name } = reference;
  const configMap = configMaps.get(`${namespace}/${name}`);
  if (configMap) return configMapValueOf(configMap, reference);
  throw new LocalError(`ConfigMap ${namespace}/${name} with the CA bundle is not known: add its file with --filename.`);
}

/** The client of a connection, opened when it is first needed, so that all requests of a connection share its limits. Rejects as `openClient`. */
export type ClientOf = (connection: AnyConnection) => Promise<OpenedClient>;

/** Calls `use` with the clients of one command, and stops them afterwards. `connections`: all that the command uses. */
export async function withClients<T>(
  connections: readonly AnyConnection[],
  access: ServiceAccess,
  use: (clientOf: ClientOf) => Promise<T>,
): Promise<T> {
  const opened = new Map<AnyConnection, Promise<OpenedClient>>();
  try {
    return await use((connection) => {
      const client = opened.get(connection) ?? openClient(connection, connections, access);
      opened.set(connection, client);
      return client;
    });
  } finally {
    const settled = await Promise.allSettled(opened.values());
    await Promise.all(settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.stop()] : [])));
  }
}
