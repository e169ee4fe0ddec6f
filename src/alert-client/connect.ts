// Builds the client of one connection from its spec: endpoint, sockets, tokens, client. The rate limiter is a parameter,
// because it outlives the client: a changed secret or URL must not refill the bucket.
import type { Dispatcher } from 'undici';

import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import type { AlertClient } from './alert-client.ts';
import { parseBearerToken } from './bearer-token.ts';
import { createClientCredentialsFetch } from './client-credentials.ts';
import { createAlertClient, type ClientLimits, type RequestSample } from './client.ts';
import { CredentialTokens } from './credential-tokens.ts';
import { parseEndpoint, type EndpointOptions } from './endpoint.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { type Read, readDeadlineMs, Reading } from './reading.ts';
import { RotatingTransport } from './rotating-transport.ts';
import type { FetchedToken, TokenSource } from './tokens.ts';
import { createAlertTransport, type Transport } from './transport.ts';

export type Authentication =
  | {
      readonly kind: 'ClientCredentials';
      readonly tokenURL: string;
      readonly clientID: string;
      readonly scopes: readonly string[];
    }
  | { readonly kind: 'BearerToken' };

export interface ConnectOptions {
  readonly endpoint: EndpointOptions;
  readonly authentication: Authentication;
  /**
   * Reads the client secret or the bearer token itself. After `kube-unreachable`, `stopped` or no response before the deadline
   * the last value stays in use; every other failure, above all `credential-missing` and `credential-not-allowed`, ends its use.
   */
  readonly readCredential: Read<SecretText>;
  /** Reads the CA certificates (PEM) that replace the system's trust store. Failures have the same effect. */
  readonly readCaBundle?: Read<string> | undefined;
  readonly limits: ClientLimits & { readonly requestTimeoutMs: number };
  readonly rateLimiter: RateLimiter;
  readonly allowHttp: boolean;
  readonly allowPrivateEndpoints: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly observe?: (sample: RequestSample) => void;
  /** Product and version; default `rolealerts`. */
  readonly userAgent?: string;
  /** Replaces the sockets in a simulation. */
  readonly openDispatcher?: OpenDispatcher | undefined;
}

/** `caBundle` is undefined for the system's trust store. */
export type OpenDispatcher = (caBundle: string | undefined) => Dispatcher;

/** Opens no socket and reads nothing before the first request. Throws `endpoint-invalid`. */
export function connectAlertClient(options: ConnectOptions): AlertClient {
  const userAgent = options.userAgent ?? 'rolealerts';
  const endpoint = parseEndpoint(options.endpoint, options.allowHttp);
  const transport = openTransport(options);
  const tokens = createTokenSource(options, transport, userAgent);
  return createAlertClient({ ...options, endpoint, transport, tokens, userAgent });
}

function openTransport(options: ConnectOptions): Transport {
  const { clock, random, limits, allowPrivateEndpoints, openDispatcher, readCaBundle } = options;
  const { requestTimeoutMs, maxConcurrent } = limits;
  const open = (caBundle?: string) =>
    createAlertTransport({
      clock,
      requestTimeoutMs,
      maxConcurrent,
      allowPrivateEndpoints,
      ...(caBundle !== undefined && { caBundle }),
      ...(openDispatcher && { dispatcher: openDispatcher(caBundle) }),
    });
  if (!readCaBundle) return open();
  return new RotatingTransport({ caBundle: new Reading({ clock, random, read: readCaBundle }), open });
}

function createTokenSource(options: ConnectOptions, transport: Transport, userAgent: string): TokenSource {
  const { authentication, clock, random, log, limits, readCredential } = options;
  const credential = new Reading({ clock, random, read: readCredential });
  /** The CA bundle may have to be read first. */
  const cache = { clock, random, log, credential, timeoutMs: readDeadlineMs + limits.requestTimeoutMs };
  if (authentication.kind === 'BearerToken') return new CredentialTokens({ ...cache, fetchToken: asBearerToken });
  const fetchToken = createClientCredentialsFetch({ ...options, ...authentication, transport, userAgent });
  return new CredentialTokens({ ...cache, fetchToken });
}

/** A bearer token that another program rotates lasts until it is rejected or replaced. */
async function asBearerToken(credential: SecretText): Promise<FetchedToken> {
  return { token: parseBearerToken(credential), lifeMs: undefined };
}
