// Connections of the cluster as clients of the service: spec to options, Secrets and CA bundles read by name when they are
// needed. The budget of a connection lives as long as the object, whatever its spec becomes.
import type { Dispatcher } from 'undici';

import { RequestBudget } from '../../alert-client/budget.ts';
import type { AlertClient, RequestSample } from '../../alert-client/client.ts';
import { type Authentication, connectAlertClient } from '../../alert-client/connect.ts';
import type { AlertsGateway, AlertsPort } from '../../controller/ports.ts';
import type { CredentialReader } from '../../kube/credentials.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseDuration } from '../../lib/duration.ts';
import { isOperatorError, OperatorError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import type { RoleAlertConnection } from '../../policy/resources.ts';

export interface GatewayOptions {
  readonly credentials: CredentialReader;
  readonly allowHttp: boolean;
  readonly allowPrivateEndpoints: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly observe: (sample: RequestSample) => void;
  /** What stands for the sockets in a simulation. */
  readonly openDispatcher: (() => Dispatcher) | undefined;
}

export function createGateway(options: GatewayOptions): AlertsGateway {
  const budgets = new Map<string, RequestBudget>();
  return {
    open(connection) {
      const { requestsPerHour, burst } = connection.spec.limits;
      const known = budgets.get(connection.metadata.uid);
      known?.update({ requestsPerHour, burst });
      const budget = known ?? newBudget(options.clock, requestsPerHour, burst);
      budgets.set(connection.metadata.uid, budget);
      return new LazyClient(options, connection, budget);
    },
    forget(uid) {
      budgets.get(uid)?.stop();
      budgets.delete(uid);
    },
  };
}

/** Half of the burst at the start: the process before may have spent all of it a moment ago. */
function newBudget(clock: Clock, requestsPerHour: number, burst: number): RequestBudget {
  return new RequestBudget({ clock, requestsPerHour, burst, initialTokens: Math.ceil(burst / 2) });
}

/** Opened at the first call, when the CA bundle is read; a failure to open is tried again at the next call. */
class LazyClient implements AlertsPort {
  readonly #options: GatewayOptions;
  readonly #connection: RoleAlertConnection;
  readonly #budget: RequestBudget;
  #opening: Promise<AlertClient> | undefined;
  #lastCredential: SecretText | undefined;

  constructor(options: GatewayOptions, connection: RoleAlertConnection, budget: RequestBudget) {
    this.#options = options;
    this.#connection = connection;
    this.#budget = budget;
  }

  async listAlerts(...[scope, call]: Parameters<AlertsPort['listAlerts']>) {
    return (await this.#client(call.signal)).listAlerts(scope, call);
  }

  async patchAlert(...[scope, name, isActive, call]: Parameters<AlertsPort['patchAlert']>) {
    return (await this.#client(call.signal)).patchAlert(scope, name, isActive, call);
  }

  async reserve(...[requests, call]: Parameters<AlertsPort['reserve']>) {
    return this.#budget.reserve(requests, call);
  }

  async credentialChanged(signal: AbortSignal): Promise<boolean> {
    const before = this.#lastCredential;
    const now = await this.#readCredential(signal);
    return before === undefined || !before.equals(now);
  }

  async stop(): Promise<void> {
    const client = await this.#opening?.catch(() => undefined);
    await client?.stop();
  }

  #client(signal: AbortSignal): Promise<AlertClient> {
    this.#opening ??= this.#open(signal).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(signal: AbortSignal): Promise<AlertClient> {
    const { endpoint, limits } = this.#connection.spec;
    const caBundle = await this.#readCaBundle(signal);
    return connectAlertClient({
      ...this.#options,
      endpoint: { ...endpoint, ...(caBundle !== undefined && { caBundle }) },
      authentication: authenticationOf(this.#connection),
      readCredential: (readSignal) => this.#readCredential(readSignal),
      limits: {
        maxPages: limits.maxPages,
        maxPageBytes: limits.maxPageBytes,
        maxConcurrent: limits.maxConcurrent,
        requestTimeoutMs: parseDuration(limits.requestTimeout) ?? defaultRequestTimeoutMs,
      },
      budget: this.#budget,
    });
  }

  async #readCaBundle(signal: AbortSignal): Promise<string | undefined> {
    const { namespace } = this.#connection.metadata;
    const reference = this.#connection.spec.endpoint.caBundleRef;
    if (!reference) return undefined;
    try {
      return await this.#options.credentials.readConfigMapValue(namespace, reference.name, reference.key, signal);
    } catch (error) {
      if (!isOperatorError(error, 'credential-missing', 'kube-denied')) throw error;
      const sentence = 'The CA bundle that endpoint.caBundleRef names cannot be read.';
      throw new OperatorError('endpoint-invalid', sentence, { detail: error.message, cause: error });
    }
  }

  async #readCredential(signal: AbortSignal): Promise<SecretText> {
    const { namespace } = this.#connection.metadata;
    const { clientCredentials, tokenSecretRef } = this.#connection.spec.auth;
    const reference = clientCredentials?.clientSecretRef ?? tokenSecretRef;
    if (!reference) throw new OperatorError('credential-missing', 'The connection names no credential.');
    try {
      const { name, key } = reference;
      this.#lastCredential = await this.#options.credentials.readSecretValue(namespace, name, key, signal);
      return this.#lastCredential;
    } catch (error) {
      if (!isOperatorError(error, 'kube-denied')) throw error;
      throw new OperatorError('credential-not-allowed', 'The operator may not read this Secret.', { cause: error });
    }
  }
}

const defaultRequestTimeoutMs = 30_000;

function authenticationOf({ spec }: RoleAlertConnection): Authentication {
  const { clientCredentials } = spec.auth;
  if (!clientCredentials) return { kind: 'BearerToken' };
  const { tokenURL, clientID, scopes } = clientCredentials;
  return { kind: 'ClientCredentials', tokenURL, clientID, scopes: scopes ?? [] };
}
