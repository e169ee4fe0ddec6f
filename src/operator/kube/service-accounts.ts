// Lets a connection act as a ServiceAccount: reads whether the account consents, and requests tokens of it. The account must
// carry the audience in an annotation. Otherwise a connection's author could act as any account of the namespace elsewhere.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { arrayOf, isNonEmptyString, isSameJson, isString, objectOf, parseJson } from '../../lib/json-shape.ts';
import { SecretText } from '../../lib/secret-text.ts';
import { accountConsent, consentText, hasConsent } from '../../policy/consent.ts';
import type { ServiceAccountRef } from '../../policy/resources.ts';
import type { ApiServerConnection } from './api-server-connection.ts';
import { isKubeError, unreachable } from './kube-error.ts';
import { type KubeResource, objectPath } from './resource.ts';
import type { KubeTransport } from './transport.ts';

export interface ServiceAccounts {
  /**
   * The uid of the account. Rejects with `credential-missing` when it does not exist, with `credential-not-allowed` when its
   * annotation does not name the audience or RBAC forbids reading it, or with another `kube-…` code.
   */
  readIdentity(account: ServiceAccountRef, signal: AbortSignal): Promise<SecretText>;
  /**
   * A token of exactly the account with this identity, for its audience only. Rejects likewise, with `credential-not-allowed` also
   * for an audience that the API server accepts, and with `token-endpoint-failed` when the API server issues none.
   */
  requestToken(account: ServiceAccountRef, identity: SecretText, signal: AbortSignal): Promise<SecretText>;
}

const serviceAccounts: KubeResource = { group: '', version: 'v1', plural: 'serviceaccounts' };

/** The shortest life that the API server grants. A stolen token is useful for no longer. */
const lifeSeconds = 600;

const deadlineMs = 10_000;

export function createServiceAccounts(issuer: TokenIssuer): ServiceAccounts {
  const { transport } = issuer;
  return {
    async readIdentity(account, signal) {
      const { metadata } = objectOf(await readAccount(transport, account, signal));
      if (!hasConsent(metadata, accountConsent(account))) throw notAllowed(account);
      const { uid } = objectOf(metadata);
      if (!isNonEmptyString(uid)) throw unreachable('the response is not a ServiceAccount', { reason: 'BadAnswer' });
      return new SecretText(uid);
    },
    async requestToken(account, identity, signal) {
      if (await isApiAudience(issuer, account.audience, signal)) throw apiAudience(account);
      return decodeToken(await postTokenRequest(transport, account, identity, signal), account);
    },
  };
}

async function readAccount(
  transport: KubeTransport,
  account: ServiceAccountRef,
  signal: AbortSignal,
): Promise<unknown> {
  const path = objectPath(serviceAccounts, account.namespace, account.name);
  try {
    return await transport.request({ verb: 'get', path, answer: 'metadata', deadlineMs, signal });
  } catch (error) {
    if (isKubeError(error, 'kube-not-found')) throw missing(account);
    // Says nothing about the consent: the last reading counts.
    if (isKubeError(error, 'kube-unreachable')) throw error;
    throw toTokenRequestFailure(error, `read ServiceAccount ${account.namespace}/${account.name}`);
  }
}

/** The uid makes the API server refuse the request for an account that was created again, and may not consent. Older ones ignore it. */
async function postTokenRequest(
  transport: KubeTransport,
  account: ServiceAccountRef,
  identity: SecretText,
  signal: AbortSignal,
): Promise<unknown> {
  const path = objectPath(serviceAccounts, account.namespace, account.name, 'token');
  const body = JSON.stringify({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { uid: identity.reveal() },
    spec: { audiences: [account.audience], expirationSeconds: lifeSeconds },
  });
  try {
    return await transport.request({ verb: 'create', path, body, deadlineMs, signal });
  } catch (error) {
    if (isKubeError(error, 'kube-not-found', 'kube-conflict')) throw missing(account);
    throw toTokenRequestFailure(error, `create a token of ServiceAccount ${account.namespace}/${account.name}`);
  }
}

/** Refuses a token for another audience, which could be used elsewhere. */
function decodeToken(answer: unknown, { namespace, name, audience }: ServiceAccountRef): SecretText {
  const { token } = objectOf(objectOf(answer)['status']);
  if (!isNonEmptyString(token) || !isSameJson(audiencesOf(token), [audience])) {
    const message = `The API server issued no token of ServiceAccount ${namespace}/${name} for its audience only.`;
    throw new AlertsError('token-endpoint-failed', message, { reason: 'TokenRequestFailed' });
  }
  return new SecretText(token);
}

function missing({ namespace, name }: ServiceAccountRef): AlertsError {
  const message = `ServiceAccount ${namespace}/${name} does not exist.`;
  return new AlertsError('credential-missing', message, { reason: 'ServiceAccountNotFound' });
}

function notAllowed(account: ServiceAccountRef): AlertsError {
  const { namespace, name } = account;
  const message = `ServiceAccount ${namespace}/${name} does not carry ${consentText(accountConsent(account))}, so it is not used.`;
  return new AlertsError('credential-not-allowed', message, { reason: 'ServiceAccountNotAllowed' });
}

function apiAudience({ audience }: ServiceAccountRef): AlertsError {
  const message = `The API server accepts the audience ${audience} itself, so a token for it could act in the cluster.`;
  return new AlertsError('credential-not-allowed', message, { reason: 'AudienceNotAllowed' });
}

/** The API server that issues tokens. */
interface TokenIssuer {
  readonly transport: KubeTransport;
  readonly connection: Pick<ApiServerConnection, 'headers'>;
  /** Those of `--api-audiences`. */
  readonly apiAudiences: readonly string[];
}

/** Every ServiceAccount may read it (ClusterRole system:service-account-issuer-discovery). */
const discoveryPath = '/.well-known/openid-configuration';

/**
 * Whether the API server accepts the audience: a token for it could act in the cluster, so the operator sends none out. No API lists the
 * audiences. The operator knows the issuer, the audiences of its own token, and those that its administrator names. Rejects when the
 * issuer cannot be read: then every audience might be one of them.
 */
async function isApiAudience(
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
function toTokenRequestFailure(error: unknown, task: string): unknown {
  const isUnavailable = isKubeError(error, 'kube-unreachable') && error.status !== 500;
  if (!isKubeError(error) || isUnavailable) return error;
  const facts = { reason: 'TokenRequestFailed', detail: error.detail };
  if (error.code === 'kube-denied') {
    return new AlertsError('credential-not-allowed', `The operator may not ${task}.`, facts);
  }
  return new AlertsError('token-endpoint-failed', `The API server did not let the operator ${task}.`, facts);
}
