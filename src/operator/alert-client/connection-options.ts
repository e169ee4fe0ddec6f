// The options of a client that follow from the spec of its connection alone.
import { parseDuration } from '../../lib/duration.ts';
import type { ClientCredentials, FederatedIdentity } from '../../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { ConnectOptions } from './connect.ts';

const defaultRequestTimeoutMs = 30_000;

export function connectionOptions({ spec }: AnyConnection): Pick<ConnectOptions, 'endpoint' | 'limits'> {
  const { maxPages, maxPageBytes, maxConcurrent, requestTimeout } = spec.limits;
  const requestTimeoutMs = parseDuration(requestTimeout) ?? defaultRequestTimeoutMs;
  return { endpoint: spec.endpoint, limits: { maxPages, maxPageBytes, maxConcurrent, requestTimeoutMs } };
}

/** The client of the token endpoint. */
export function tokenClientOf({ tokenURL, clientID, scopes = [] }: ClientCredentials | FederatedIdentity) {
  return { tokenURL, clientID, scopes };
}
