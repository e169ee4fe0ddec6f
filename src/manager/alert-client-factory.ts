// Opens clients of the service for connection objects: maps the spec to options, and reads Secrets and CA bundles by
// name (alert-client/reading.ts caches them). The rate limiter of a connection lives as long as the object, across
// changes of its spec.
import type { LookupFunction } from 'node:net';

import type { AlertClient } from '../alert-client/alert-client.ts';
import type { RequestSample } from '../alert-client/client.ts';
import { type Authentication, connectAlertClient, type OpenDispatcher } from '../alert-client/connect.ts';
import { connectionOptions, tokenClientOf } from '../alert-client/connection-options.ts';
import type { UrlRules } from '../alert-client/endpoint.ts';
import { NameLookups } from '../alert-client/name-lookups.ts';
import { RateLimiter } from '../alert-client/rate-limiter.ts';
import { AlertsError, isAlertsError } from '../alerts/alerts-error.ts';
import { connectionFields } from '../controller/log-fields.ts';
import type { AlertClientFactory, AlertsPort } from '../controller/ports.ts';
import type { CredentialReader } from '../kube/credentials.ts';
import { isKubeError } from '../kube/kube-error.ts';
import type { ServiceAccounts } from '../kube/service-accounts.ts';
import type { Clock } from '../lib/clock.ts';
import { StoppedError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Proxies } from '../lib/proxy.ts';
import type { Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { burstAtStart } from '../policy/burst.ts';
import {
  type AnyConnection,
  caBundleOf,
  credentialOf,
  type CredentialRef,
  serviceAccountOf,
} from '../policy/resources.ts';
import { namespacedName } from '../policy/scope-ref.ts';

export interface AlertClientFactoryDeps extends UrlRules {
  readonly credentials: CredentialReader;
  readonly serviceAccounts: ServiceAccounts;
  /** The namespace of the Secrets, ConfigMaps and ServiceAccounts of every ClusterRoleAlertConnection. */
  readonly clusterNamespace: string;
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
      const { requestsPerHour, burst } = connection.spec.limits;
      const known = rateLimiters.get(connection.metadata.uid);
      known?.update({ requestsPerHour, burst });
      const rateLimiter = known ?? newRateLimiter(deps.clock, requestsPerHour, burst);
      rateLimiters.set(connection.metadata.uid, rateLimiter);
      return new DeferredAlertClient({ ...deps, lookup: lookups.of(teamOf(connection)) }, connection, rateLimiter);
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

function newRateLimiter(clock: Clock, requestsPerHour: number, burst: number): RateLimiter {
  return new RateLimiter({ clock, requestsPerHour, burst, initialTokens: burstAtStart(burst) });
}

/**
 * Opens the client at the first call, so that an unusable address fails each call, and the status of the connection
 * shows it.
 */
class DeferredAlertClient implements AlertsPort {
  readonly #deps: AlertClientFactoryDeps;
  readonly #connection: AnyConnection;
  readonly #rateLimiter: RateLimiter;
  #opened: AlertClient | undefined;
  #isStopped = false;

  constructor(deps: AlertClientFactoryDeps, connection: AnyConnection, rateLimiter: RateLimiter) {
    this.#deps = deps;
    this.#connection = connection;
    this.#rateLimiter = rateLimiter;
  }

  async listAlerts(...[scope, call]: Parameters<AlertsPort['listAlerts']>) {
    return this.#client().listAlerts(scope, call);
  }

  async patchAlert(...[scope, name, isActive, call]: Parameters<AlertsPort['patchAlert']>) {
    return this.#client().patchAlert(scope, name, isActive, call);
  }

  async reserve(...[requests, call]: Parameters<AlertsPort['reserve']>) {
    return this.#rateLimiter.reserve(requests, call);
  }

  async acquirePermit(...[call]: Parameters<AlertsPort['acquirePermit']>) {
    return this.#client().acquirePermit(call);
  }

  async credentialChanged(signal: AbortSignal): Promise<boolean> {
    return this.#client().credentialChanged(signal);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#opened?.stop();
  }

  #client(): AlertClient {
    if (this.#isStopped) throw new StoppedError('The connection was closed.');
    this.#opened ??= this.#open();
    return this.#opened;
  }

  #open(): AlertClient {
    const caBundle = caBundleOf(this.#connection, this.#deps.clusterNamespace);
    return connectAlertClient({
      ...this.#deps,
      log: this.#deps.log.child(connectionFields(namespacedName(this.#connection))),
      ...connectionOptions(this.#connection),
      authentication: authenticationOf(this.#connection, this.#deps),
      readCredential: (signal) => this.#readCredential(signal),
      readCaBundle: caBundle && ((signal) => this.#readCaBundle(caBundle, signal)),
      rateLimiter: this.#rateLimiter,
    });
  }

  async #readCaBundle({ namespace, name, key }: CredentialRef, signal: AbortSignal): Promise<string> {
    try {
      return await this.#deps.credentials.readConfigMapValue(namespace, name, key, signal);
    } catch (error) {
      if (!(isAlertsError(error, 'credential-missing') || isKubeError(error, 'kube-denied'))) throw error;
      const isDenied = isKubeError(error, 'kube-denied');
      const message = isDenied ? `The operator may not read ConfigMap ${namespace}/${name}.` : error.message;
      throw new AlertsError('endpoint-invalid', message, { reason: 'CABundleNotFound', cause: error });
    }
  }

  async #readCredential(signal: AbortSignal): Promise<SecretText> {
    const account = serviceAccountOf(this.#connection, this.#deps.clusterNamespace);
    if (account) return this.#deps.serviceAccounts.readIdentity(account, signal);
    const credential = credentialOf(this.#connection, this.#deps.clusterNamespace);
    if (!credential) throw new AlertsError('credential-missing', 'The connection names no credential.');
    const { namespace, name, key } = credential;
    try {
      return await this.#deps.credentials.readSecretValue(namespace, name, key, signal);
    } catch (error) {
      if (!isKubeError(error, 'kube-denied')) throw error;
      const message = `The operator may not read Secret ${namespace}/${name}.`;
      throw new AlertsError('credential-not-allowed', message, { cause: error });
    }
  }
}

function authenticationOf(
  connection: AnyConnection,
  { serviceAccounts, clusterNamespace }: AlertClientFactoryDeps,
): Authentication {
  const { clientCredentials, federated } = connection.spec.auth;
  const account = serviceAccountOf(connection, clusterNamespace);
  if (federated && account) {
    return {
      kind: 'Federated',
      ...tokenClientOf(federated),
      requestAssertion: (identity, signal) => serviceAccounts.requestToken(account, identity, signal),
    };
  }
  if (clientCredentials) return { kind: 'ClientCredentials', ...tokenClientOf(clientCredentials) };
  return { kind: 'BearerToken' };
}
