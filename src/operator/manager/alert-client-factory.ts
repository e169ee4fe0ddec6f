// Opens clients of the service for connection objects: maps the spec to options, and reads Secrets and CA bundles by
// name (operator/alert-client/service-way.ts caches them). The rate limiter of a connection lives as long as the object, across
// changes of its spec.
import type { LookupFunction } from 'node:net';

import { AlertsError, isAlertsError } from '../../alerts/alerts-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Proxies } from '../../lib/proxy.ts';
import type { Random } from '../../lib/random.ts';
import { burstAtStart } from '../../policy/burst.ts';
import { type AnyConnection, caBundleOf, credentialOf, serviceAccountOf } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import type { AlertClient } from '../alert-client/alert-client.ts';
import type { RequestSample } from '../alert-client/client.ts';
import {
  connectAlertClient,
  connectionOptions,
  type ConnectOptions,
  type OpenDispatcher,
  tokenClientOf,
} from '../alert-client/connect.ts';
import type { UrlRules } from '../alert-client/endpoint.ts';
import { NameLookups } from '../alert-client/name-lookups.ts';
import { RateLimiter } from '../alert-client/rate-limiter.ts';
import type { Read } from '../alert-client/service-way.ts';
import type { CredentialReader } from '../kube/credentials.ts';
import { isKubeError } from '../kube/kube-error.ts';
import type { ServiceAccounts } from '../kube/service-accounts.ts';
import { connectionFields } from '../logging.ts';
import type { AlertClientFactory } from '../ports.ts';

export interface AlertClientFactoryDeps extends UrlRules {
  readonly credentials: CredentialReader;
  readonly serviceAccounts: ServiceAccounts;
  /** The namespace of the Secrets, ConfigMaps and ServiceAccounts of every ClusterRoleAlertConnection. */
  readonly clusterNamespace: string;
  /** True while the connection with this key, or its namespace, is being deleted. */
  readonly isBeingDeleted: (connection: string) => boolean;
  readonly allowPrivateEndpoints: boolean;
  readonly proxies: Proxies | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly observe: (sample: RequestSample) => void;
  /** Replaces the sockets in a simulation. */
  readonly openDispatcher: OpenDispatcher | undefined;
  /** Name resolution; default: the system's. */
  readonly lookup?: LookupFunction;
}

export function createAlertClientFactory(deps: AlertClientFactoryDeps): AlertClientFactory {
  const rateLimiters = new Map<string, RateLimiter>();
  const lookups = new NameLookups(deps.clock, deps.lookup);
  return {
    open(connection) {
      const { limits } = connection.spec;
      const known = rateLimiters.get(connection.metadata.uid);
      known?.update(limits);
      const { clock } = deps;
      const rateLimiter = known ?? new RateLimiter({ ...limits, clock, initialTokens: burstAtStart(limits.burst) });
      rateLimiters.set(connection.metadata.uid, rateLimiter);
      return openClient({ ...deps, lookup: lookups.of(teamOf(connection)) }, connection, rateLimiter);
    },
    forget(uid) {
      rateLimiters.get(uid)?.stop();
      rateLimiters.delete(uid);
    },
  };
}

/** The connections of a namespace resolve their names together; a ClusterRoleAlertConnection, which only the platform writes, alone. */
function teamOf({ metadata: { namespace, name } }: AnyConnection): string {
  return namespace ?? `/${name}`;
}

function openClient(deps: AlertClientFactoryDeps, connection: AnyConnection, rateLimiter: RateLimiter): AlertClient {
  const key = namespacedName(connection);
  const kept = <T>(read: Read<T>) => keptWhile(() => deps.isBeingDeleted(key), read);
  const { authentication, readCredential } = authenticationOf(connection, deps);
  const readCaBundle = caBundleReader(connection, deps);
  return connectAlertClient({
    ...deps,
    log: deps.log.child(connectionFields(key)),
    ...connectionOptions(connection),
    authentication,
    readCredential: kept(readCredential),
    readCaBundle: readCaBundle && kept(readCaBundle),
    rateLimiter,
  });
}

/**
 * Serves the last value that was read once its object is gone, or may not be read any more, while `isKept` allows that: the namespace
 * controller deletes a Secret and the connection that needs it in any order.
 */
function keptWhile<T>(isKept: () => boolean, read: Read<T>): Read<T> {
  let last: { readonly value: T } | undefined;
  return async (signal) => {
    try {
      last = { value: await read(signal) };
    } catch (error) {
      if (!last || !isGone(error) || !isKept()) throw error;
    }
    return last.value;
  };
}

/** True also when a RoleBinding of the namespace went first. */
function isGone(error: unknown): boolean {
  if (isAlertsError(error, 'endpoint-invalid')) return isGone(error.cause);
  const isDenied = isAlertsError(error, 'credential-not-allowed') && isKubeError(error.cause, 'kube-denied');
  return isDenied || isAlertsError(error, 'credential-missing');
}

/** How the connection authenticates, and what it reads for that. */
function authenticationOf(
  connection: AnyConnection,
  { credentials, serviceAccounts, clusterNamespace }: AlertClientFactoryDeps,
): Pick<ConnectOptions, 'authentication' | 'readCredential'> {
  const { clientCredentials, federated } = connection.spec.auth;
  const account = serviceAccountOf(connection, clusterNamespace);
  if (federated && account) {
    return {
      authentication: {
        kind: 'Federated',
        ...tokenClientOf(federated),
        requestAssertion: (identity, signal) => serviceAccounts.requestToken(account, identity, signal),
      },
      readCredential: (signal) => serviceAccounts.readIdentity(account, signal),
    };
  }
  const credential = credentialOf(connection, clusterNamespace);
  return {
    authentication: clientCredentials
      ? { kind: 'ClientCredentials', ...tokenClientOf(clientCredentials) }
      : { kind: 'BearerToken' },
    async readCredential(signal) {
      if (!credential) throw new AlertsError('credential-missing', 'The connection names no credential.');
      return credentials.readSecretValue(credential.namespace, credential.name, credential.key, signal);
    },
  };
}

function caBundleReader(
  connection: AnyConnection,
  { credentials, clusterNamespace }: AlertClientFactoryDeps,
): Read<string> | undefined {
  const caBundle = caBundleOf(connection, clusterNamespace);
  if (!caBundle) return undefined;
  const { namespace, name, key } = caBundle;
  return async (signal) => {
    try {
      return await credentials.readConfigMapValue(namespace, name, key, signal);
    } catch (error) {
      if (!isAlertsError(error, 'credential-missing', 'credential-not-allowed')) throw error;
      throw new AlertsError('endpoint-invalid', error.message, { reason: 'CABundleNotFound', cause: error });
    }
  };
}
