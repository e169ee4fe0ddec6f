// Builds the client of one connection from its spec: endpoint, sockets, tokens, client. The rate limiter is a parameter,
// because it outlives the client: a changed secret or URL must not refill the bucket.
import type { LookupFunction } from 'node:net';

import type { Dispatcher } from 'undici';

import { userAgentOf } from '../../lib/build-facts.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseDuration } from '../../lib/duration.ts';
import { settle } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { Proxies } from '../../lib/proxy.ts';
import type { Random } from '../../lib/random.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import type { ClientCredentials, FederatedIdentity } from '../../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { AlertClient } from './alert-client.ts';
import { type ClientCredentialsOptions, createClientCredentialsFetch, withAssertion } from './client-credentials.ts';
import { type ClientLimits, HttpAlertClient, type RequestSample } from './client.ts';
import { type EndpointOptions, parseEndpoint, type UrlRules } from './endpoint.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { createReading, type Read, readDeadlineMs, ServiceWay } from './service-way.ts';
import { type FetchToken, parseBearerToken } from './tokens.ts';
import { createAlertTransport } from './transport.ts';

export type Authentication =
  | ({ readonly kind: 'ClientCredentials' } & TokenClient)
  | ({ readonly kind: 'Federated'; readonly requestAssertion: RequestAssertion } & TokenClient)
  | { readonly kind: 'BearerToken' };

/**
 * Requests a token of the ServiceAccount with this identity. Rejects with `credential-missing`, `credential-not-allowed`,
 * `token-endpoint-failed` or a `kube-…` code.
 */
type RequestAssertion = (identity: SecretText, signal: AbortSignal) => Promise<SecretText>;

/** A client of a token endpoint. */
type TokenClient = Pick<ClientCredentialsOptions, 'tokenURL' | 'clientID' | 'scopes'>;

export interface ConnectOptions extends UrlRules {
  readonly endpoint: EndpointOptions;
  readonly authentication: Authentication;
  /**
   * Reads the client secret or the bearer token itself; with `Federated` a text that identifies the ServiceAccount. After
   * `kube-unreachable`, `stopped` or no response before the deadline the last value stays in use; every other failure, above all
   * `credential-missing` and `credential-not-allowed`, ends its use.
   */
  readonly readCredential: Read<SecretText>;
  /** Reads the CA certificates (PEM) that replace the system's trust store. Failures have the same effect. */
  readonly readCaBundle?: Read<string> | undefined;
  readonly limits: ClientLimits & { readonly requestTimeoutMs: number };
  readonly rateLimiter: RateLimiter;
  readonly allowPrivateEndpoints: boolean;
  /** Absent: every host is reached directly. */
  readonly proxies?: Proxies | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly observe?: (sample: RequestSample) => void;
  /** Default: that of the operator. */
  readonly userAgent?: string;
  /** Name resolution; default: the system's. */
  readonly lookup?: LookupFunction | undefined;
  /** Replaces the sockets in a simulation. */
  readonly openDispatcher?: OpenDispatcher | undefined;
}

/** `caBundle` is undefined for the system's trust store. */
export type OpenDispatcher = (caBundle: string | undefined) => Dispatcher;

/** Opens no socket and reads nothing before the first request. */
export function connectAlertClient(options: ConnectOptions): AlertClient {
  const userAgent = options.userAgent ?? userAgentOf('rolealerts');
  return new HttpAlertClient({ ...options, way: settle(() => openWay(options, userAgent)), userAgent });
}

function openWay(options: ConnectOptions, userAgent: string): ServiceWay {
  const { authentication, clock, random, log, limits, readCredential, readCaBundle } = options;
  return new ServiceWay({
    clock,
    random,
    log,
    // A token of a ServiceAccount takes two requests to the API server, for the audiences and for itself.
    timeoutMs: (authentication.kind === 'Federated' ? 2 * readDeadlineMs : 0) + limits.requestTimeoutMs,
    endpoint: parseEndpoint(options.endpoint, options),
    credential: createReading({ clock, read: readCredential }),
    caBundle: readCaBundle && createReading({ clock, read: readCaBundle }),
    openTransport: (caBundle) =>
      createAlertTransport({ ...options, ...limits, caBundle, dispatcher: options.openDispatcher?.(caBundle) }),
    fetchToken: fetchTokenOf(authentication, { ...options, userAgent }),
  });
}

function fetchTokenOf(
  authentication: Authentication,
  options: Omit<ClientCredentialsOptions, keyof TokenClient>,
): FetchToken {
  // A bearer token that another program rotates lasts until it is rejected or replaced.
  if (authentication.kind === 'BearerToken')
    return async (credential) => ({ token: parseBearerToken(credential), lifeMs: undefined });
  const client = { ...options, ...authentication };
  if (authentication.kind === 'ClientCredentials') return createClientCredentialsFetch(client);
  const { requestAssertion } = authentication;
  const exchange = createClientCredentialsFetch(client, withAssertion);
  return async (identity, transport, signal) => exchange(await requestAssertion(identity, signal), transport, signal);
}

const defaultRequestTimeoutMs = 30_000;

/** The options of a client that follow from the spec of its connection alone. */
export function connectionOptions({ spec }: AnyConnection): Pick<ConnectOptions, 'endpoint' | 'limits'> {
  const { maxPages, maxPageBytes, maxConcurrent, requestTimeout } = spec.limits;
  const requestTimeoutMs = parseDuration(requestTimeout) ?? defaultRequestTimeoutMs;
  return { endpoint: spec.endpoint, limits: { maxPages, maxPageBytes, maxConcurrent, requestTimeoutMs } };
}

/** The client of the token endpoint. */
export function tokenClientOf({ tokenURL, clientID, scopes = [] }: ClientCredentials | FederatedIdentity) {
  return { tokenURL, clientID, scopes };
}
