// The audiences that the API server accepts: a token for one of them could act in the cluster, so the operator sends none out.
// No API lists them. The operator knows the issuer, the audiences of its own token, and those that its administrator names.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { arrayOf, isNonEmptyString, isString, objectOf, parseJson } from '../../lib/json-shape.ts';
import type { ApiServerConnection } from './api-server-connection.ts';
import { isKubeError } from './kube-error.ts';
import type { KubeTransport } from './transport.ts';

/** The API server that issues tokens. */
export interface TokenIssuer {
  readonly transport: KubeTransport;
  readonly connection: Pick<ApiServerConnection, 'headers'>;
  /** Those of `--api-audiences`. */
  readonly apiAudiences: readonly string[];
}

/** Every ServiceAccount may read it (ClusterRole system:service-account-issuer-discovery). */
const discoveryPath = '/.well-known/openid-configuration';

const deadlineMs = 10_000;

/** Rejects when the issuer cannot be read: then every audience might be one of them. */
export async function isApiAudience(
  { transport, connection, apiAudiences }: TokenIssuer,
  audience: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (apiAudiences.includes(audience)) return true;
  const { authorization = '' } = await connection.headers();
  if (audiencesOf(authorization.replace(/^Bearer /i, '')).includes(audience)) return true;
  return (await readIssuer(transport, signal)) === audience;
}

/**
 * The audiences that a JSON Web Token names; empty for another text. The signature is not verified: the token comes from the API server,
 * or is the operator's own.
 */
export function audiencesOf(token: string): readonly string[] {
  const payload = token.split('.')[1] ?? '';
  const { aud } = objectOf(parseJson(Buffer.from(payload, 'base64url').toString('utf8')));
  return isString(aud) ? [aud] : arrayOf(aud).filter(isString);
}

async function readIssuer(transport: KubeTransport, signal: AbortSignal): Promise<string> {
  const request = { verb: 'get', path: discoveryPath, deadlineMs, signal } as const;
  const discovery = await transport.request(request).catch((error: unknown) => {
    throw toTokenRequestFailure(error, `read the issuer of the cluster (${discoveryPath})`);
  });
  const { issuer } = objectOf(discovery);
  if (isNonEmptyString(issuer)) return issuer;
  const message = `The API server names no issuer (${discoveryPath}).`;
  throw new AlertsError('token-endpoint-failed', message, { reason: 'TokenRequestFailed' });
}

/**
 * What a request that failed on the way to a token means for the connection. `task` completes "The operator may not …". A missing
 * permission ends the use of the account; a refusal for another reason is tried again. An API server that is not available stays
 * `kube-unreachable`, as for every other request.
 */
export function toTokenRequestFailure(error: unknown, task: string): unknown {
  const isUnavailable = isKubeError(error, 'kube-unreachable') && error.status !== 500;
  if (!isKubeError(error) || isUnavailable) return error;
  const facts = { reason: 'TokenRequestFailed', detail: error.detail };
  if (error.code === 'kube-denied') {
    return new AlertsError('credential-not-allowed', `The operator may not ${task}.`, facts);
  }
  return new AlertsError('token-endpoint-failed', `The API server did not let the operator ${task}.`, facts);
}
