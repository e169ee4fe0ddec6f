// Builds the client of one connection from its spec: endpoint, sockets, tokens, client. The rate limiter is a parameter,
// because it outlives the client: a changed secret or URL must not refill the bucket.
import type { LookupFunction } from 'node:net';

import type { Dispatcher } from 'undici';

import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Proxies } from '../lib/proxy.ts';
import type { Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { settle } from '../lib/settled.ts';
import type { AlertClient } from './alert-client.ts';
import { parseBearerToken } from './bearer-token.ts';
import { withAssertion } from './client-authentication.ts';
import { type ClientCredentialsOptions, createClientCredentialsFetch } from './client-credentials.ts';
import { type ClientLimits, HttpAlertClient, type RequestSample } from './client.ts';
import { CredentialTokens, type CredentialTokensOptions } from './credential-tokens.ts';
import { parseEndpoint, type EndpointOptions, type UrlRules } from './endpoint.ts';
import { createFederatedFetch } from './federated-fetch.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { createReading, type Read, readDeadlineMs } from './reading.ts';
import { RotatingTransport } from './rotating-transport.ts';
import type { FetchedToken, TokenCacheOptions, TokenSource } from './tokens.ts';
import { createAlertTransport, type Transport } from './transport.ts';

export type Authentication =
  | ({ readonly kind: 'ClientCredentials' } & TokenClient)
  | ({ readonly kind: 'Federated'; readonly requestAssertion: RequestAssertion } & TokenClient)
  | { readonly kind: 'BearerToken' };

/** Requests a token of the ServiceAccount with this identity. Rejects as `FederatedFetchOptions.requestAssertion`. */
type RequestAssertion = (identity: SecretText, signal: AbortSignal) => Promise<FetchedToken>;

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
  /** Product and version; default `rolealerts`. */
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
  const userAgent = options.userAgent ?? 'rolealerts';
  const way = settle(() => {
    const endpoint = parseEndpoint(options.endpoint, options);
    const transport = openTransport(options);
    return { endpoint, transport, tokens: createTokenSource(options, transport, userAgent) };
  });
  return new HttpAlertClient({ ...options, way, userAgent });
}

function openTransport(options: ConnectOptions): Transport {
  const { clock, random, limits, allowPrivateEndpoints, proxies, lookup, openDispatcher, readCaBundle, rulesOwner } =
    options;
  const { requestTimeoutMs, maxConcurrent } = limits;
  const open = (caBundle?: string) =>
    createAlertTransport({
      clock,
      requestTimeoutMs,
      maxConcurrent,
      allowPrivateEndpoints,
      rulesOwner,
      proxies,
      ...(caBundle !== undefined && { caBundle }),
      ...(lookup && { lookup }),
      ...(openDispatcher && { dispatcher: openDispatcher(caBundle) }),
    });
  if (!readCaBundle) return open();
  return new RotatingTransport({ caBundle: createReading({ clock, random, read: readCaBundle }), open });
}

function createTokenSource(options: ConnectOptions, transport: Transport, userAgent: string): TokenSource {
  const { authentication, clock, random, log, limits, readCredential } = options;
  const credential = createReading({ clock, random, read: readCredential });
  const timeoutMs = readingsBefore(authentication) * readDeadlineMs + limits.requestTimeoutMs;
  const cache = { clock, random, log, timeoutMs };
  const openFetch = openFetchOf(authentication, cache, { ...options, transport, userAgent });
  return new CredentialTokens({ ...cache, credential, openFetch });
}

/** Requests to the API server that may precede a token request: for the CA bundle, and for the audiences and the assertion. */
function readingsBefore({ kind }: Authentication): number {
  return kind === 'Federated' ? 3 : 1;
}

type OpenFetch = CredentialTokensOptions['openFetch'];

function openFetchOf(
  authentication: Authentication,
  cache: Omit<TokenCacheOptions, 'fetchToken'>,
  options: Omit<ClientCredentialsOptions, keyof TokenClient>,
): OpenFetch {
  if (authentication.kind === 'BearerToken') return (credential) => () => asBearerToken(credential);
  const client = { ...options, ...authentication };
  if (authentication.kind === 'ClientCredentials') {
    const fetchToken = createClientCredentialsFetch(client);
    return (secret) => (signal) => fetchToken(secret, signal);
  }
  const { requestAssertion } = authentication;
  const exchange = createClientCredentialsFetch(client, withAssertion);
  return (identity) =>
    createFederatedFetch({ ...cache, requestAssertion: (signal) => requestAssertion(identity, signal), exchange });
}

/** A bearer token that another program rotates lasts until it is rejected or replaced. */
async function asBearerToken(credential: SecretText): Promise<FetchedToken> {
  return { token: parseBearerToken(credential), lifeMs: undefined };
}
