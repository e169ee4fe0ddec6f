// The audiences that the API server accepts: a token for one of them could act in the cluster, so the operator sends none out.
// No API lists them. The operator knows the issuer, the audiences of its own token, and those that its administrator names.
import { AlertsError } from '../alerts/alerts-error.ts';
import { isNonEmptyString, objectOf } from '../lib/json-shape.ts';
import type { ApiServerConnection } from './api-server-connection.ts';
import { audiencesOf } from './token-audiences.ts';
import { toTokenRequestFailure } from './token-request-failure.ts';
import type { KubeTransport } from './transport.ts';

export interface ApiAudiences {
  /** Rejects when the issuer cannot be read: then every audience might be one of them. */
  includes(audience: string, signal: AbortSignal): Promise<boolean>;
}

export interface ApiAudiencesOptions {
  readonly transport: KubeTransport;
  readonly connection: Pick<ApiServerConnection, 'headers'>;
  /** Those of `--api-audiences`. */
  readonly declared: readonly string[];
}

/** Every ServiceAccount may read it (ClusterRole system:service-account-issuer-discovery). */
const discoveryPath = '/.well-known/openid-configuration';

const deadlineMs = 10_000;

export function createApiAudiences({ transport, connection, declared }: ApiAudiencesOptions): ApiAudiences {
  return {
    async includes(audience, signal) {
      if (declared.includes(audience)) return true;
      if ((await ownAudiences(connection)).includes(audience)) return true;
      return (await readIssuer(transport, signal)) === audience;
    },
  };
}

async function ownAudiences(connection: ApiAudiencesOptions['connection']): Promise<readonly string[]> {
  const { authorization = '' } = await connection.headers();
  return audiencesOf(authorization.replace(/^Bearer /i, ''));
}

async function readIssuer(transport: KubeTransport, signal: AbortSignal): Promise<string> {
  const { issuer } = objectOf(await readDiscovery(transport, signal));
  if (isNonEmptyString(issuer)) return issuer;
  const message = `The API server names no issuer (${discoveryPath}).`;
  throw new AlertsError('token-endpoint-failed', message, { reason: 'TokenRequestFailed' });
}

async function readDiscovery(transport: KubeTransport, signal: AbortSignal): Promise<unknown> {
  try {
    return await transport.request({ verb: 'get', path: discoveryPath, deadlineMs, signal });
  } catch (error) {
    throw toTokenRequestFailure(error, `read the issuer of the cluster (${discoveryPath})`);
  }
}
