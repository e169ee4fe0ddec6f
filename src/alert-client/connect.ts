// Puts the parts together for one connection as its spec describes it: endpoint, sockets, tokens, client. The budget
// comes from outside, as it outlives the client: a changed secret or URL must not refill the bucket.
import type { Dispatcher } from 'undici';

import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { RequestBudget } from './budget.ts';
import { createClientCredentialsFetch } from './client-credentials.ts';
import { createAlertClient, type AlertClient, type ClientLimits, type RequestSample } from './client.ts';
import { parseEndpoint, type EndpointOptions } from './endpoint.ts';
import { createBearerTokenSource, TokenCache, type ReadCredential, type TokenSource } from './tokens.ts';
import { createTransport, type Transport } from './transport.ts';

export type Authentication =
  | {
      readonly kind: 'ClientCredentials';
      readonly tokenURL: string;
      readonly clientID: string;
      readonly scopes: readonly string[];
    }
  | { readonly kind: 'BearerToken' };

export interface ConnectOptions {
  readonly endpoint: EndpointOptions & {
    /** PEM; trusted instead of the well-known authorities. */ readonly caBundle?: string;
  };
  readonly authentication: Authentication;
  /** The client's secret or the bearer token itself. */
  readonly readCredential: ReadCredential;
  readonly limits: ClientLimits & { readonly requestTimeoutMs: number };
  readonly budget: RequestBudget;
  readonly allowHttp: boolean;
  readonly allowPrivateEndpoints: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly observe?: (sample: RequestSample) => void;
  /** Product and version; `rolealerts` unless given. */
  readonly userAgent?: string;
  /** What stands for the sockets in a simulation. */
  readonly openDispatcher?: (() => Dispatcher) | undefined;
}

/** Opens no socket and reads no Secret yet. Throws `endpoint-invalid`, or `tls-failed` for an unreadable CA bundle. */
export function connectAlertClient(options: ConnectOptions): AlertClient {
  const userAgent = options.userAgent ?? 'rolealerts';
  const endpoint = parseEndpoint(options.endpoint, options.allowHttp);
  const transport = createTransport({
    clock: options.clock,
    requestTimeoutMs: options.limits.requestTimeoutMs,
    maxConcurrent: options.limits.maxConcurrent,
    allowPrivateEndpoints: options.allowPrivateEndpoints,
    ...(options.endpoint.caBundle !== undefined && { caBundle: options.endpoint.caBundle }),
    ...(options.openDispatcher && { dispatcher: options.openDispatcher() }),
  });
  const tokens = createTokenSource(options, transport, userAgent);
  return createAlertClient({ ...options, endpoint, transport, tokens, userAgent });
}

function createTokenSource(options: ConnectOptions, transport: Transport, userAgent: string): TokenSource {
  const { authentication, clock, random, log, readCredential } = options;
  /** Reading the Secret and one exchange, each with the deadline of a request. */
  const cache = { clock, random, log, timeoutMs: 2 * options.limits.requestTimeoutMs };
  if (authentication.kind === 'BearerToken') return createBearerTokenSource({ ...cache, readCredential });
  const fetchToken = createClientCredentialsFetch({ ...options, ...authentication, transport, userAgent });
  return new TokenCache({ ...cache, fetchToken });
}
