// The credential of a connection, from the first of four places that has one: a Secret of the files, --token-file, the environment,
// and the sign-in of `rolealerts login`. Only a Secret may hold a client secret; the others hold bearer tokens.
import { LocalError, UsageError } from '../../lib/command-errors.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { type Authentication, tokenClientOf } from '../../operator/alert-client/connect.ts';
import { secretValueOf } from '../../operator/kube/credentials.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { endpointKey } from '../../policy/endpoint-key.ts';
import { type AnyConnection, credentialOf } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import { tokenVariable } from '../options/preview-options.ts';
import { storedToken } from './login-store.ts';
import type { TokenPlace } from './planned-scope.ts';
import { type GivenTokens } from './token-files.ts';

export interface CredentialPlaces {
  /** By `namespace/name`. */
  readonly secrets: ReadonlyMap<string, JsonObject>;
  readonly tokenFiles: GivenTokens;
  /** The value of `tokenVariable`. Throws `LocalError` for one that is no token. */
  readonly readEnvironmentToken: () => SecretText | undefined;
  /** The content of `loginFile`. Rejects with `LocalError` for a file that cannot be used. */
  readonly readLoginTokens: () => Promise<JsonObject>;
  readonly loginFile: string;
  /** Where the Secrets of every ClusterRoleAlertConnection are. */
  readonly clusterNamespace: string;
}

export interface Credential {
  readonly authentication: Authentication;
  readonly value: SecretText;
  /** Undefined for a Secret. */
  readonly tokenPlace?: TokenPlace;
}

/**
 * Reads a place only when the earlier ones give nothing. `connections`: all that a command uses. Rejects with `LocalError` or an
 * `AlertsError` with the code `credential-…` for a Secret or another place that cannot be used, and with `UsageError` for a token that
 * several services would receive.
 */
export async function credentialFor(
  connection: AnyConnection,
  connections: readonly AnyConnection[],
  places: CredentialPlaces,
  nowMs: number,
): Promise<Credential> {
  const found =
    secretOf(connection, places) ??
    givenToken(connection, connections, places, nowMs) ??
    bearer(signInOf(connection, await places.readLoginTokens(), nowMs), signInPlace(connection, places));
  if (found) return found;
  throw notFound(connection, places);
}

function bearer(value: SecretText | undefined, tokenPlace: TokenPlace): Credential | undefined {
  return value && { authentication: { kind: 'BearerToken' }, value, tokenPlace };
}

const filePlace: TokenPlace = { name: '--token-file', renewal: 'Pass a file with a token that it accepts' };
const environmentPlace: TokenPlace = { name: tokenVariable, renewal: 'Set the variable to a token that it accepts' };

function signInPlace({ spec }: AnyConnection, { loginFile }: CredentialPlaces): TokenPlace {
  return { name: `the sign-in in ${loginFile}`, renewal: `Sign in again with: ${signInCommand(spec)}` };
}

function signInCommand(spec: AnyConnection['spec']): string {
  const [origin = spec.endpoint.baseURL] = originsOf(spec);
  return `rolealerts login --auth-url ${origin}`;
}

function secretOf(connection: AnyConnection, { secrets, clusterNamespace }: CredentialPlaces): Credential | undefined {
  const reference = credentialOf(connection, clusterNamespace);
  const secret = reference && secrets.get(`${reference.namespace}/${reference.name}`);
  if (!secret) return undefined;
  const { clientCredentials } = connection.spec.auth;
  return {
    authentication: clientCredentials
      ? { kind: 'ClientCredentials', ...tokenClientOf(clientCredentials) }
      : { kind: 'BearerToken' },
    value: secretValueOf(secret, reference),
  };
}

function givenToken(
  connection: AnyConnection,
  connections: readonly AnyConnection[],
  places: CredentialPlaces,
  nowMs: number,
): Credential | undefined {
  const { tokenFiles, readEnvironmentToken } = places;
  const ownToken = (of: AnyConnection) =>
    tokenFiles.named.get(namespacedName(of)) ?? signInOf(of, tokenFiles.signIns, nowMs);
  const own = ownToken(connection);
  if (own) return bearer(own, filePlace);
  const place = tokenFiles.unnamed ? filePlace : environmentPlace;
  const unnamed = bearer(tokenFiles.unnamed ?? readEnvironmentToken(), place);
  if (unnamed === undefined) return undefined;
  const needing = connections.filter((each) => !ownToken(each) && secretOf(each, places) === undefined);
  const services = [...new Set(needing.map(endpointKey))];
  if (services.length < 2) return unnamed;
  throw new UsageError(
    `${place.name} has one token, and the connections reach ${services.length} services: give each connection its own with --token-file CONNECTION=FILE, for example --token-file ${namespacedName(connection)}=FILE.`,
  );
}

/** A sign-in counts for the service at the same origin, and for a service whose tokens come from that origin. */
function signInOf({ spec }: AnyConnection, tokens: JsonObject, nowMs: number): SecretText | undefined {
  return storedToken(tokens, originsOf(spec), nowMs);
}

function originsOf({ endpoint, auth }: AnyConnection['spec']): readonly string[] {
  const urls = [endpoint.baseURL, (auth.clientCredentials ?? auth.federated)?.tokenURL];
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : (URL.parse(url)?.origin ?? []))))];
}

function notFound(connection: AnyConnection, { clusterNamespace, loginFile }: CredentialPlaces): LocalError {
  const key = namespacedName(connection);
  const reference = credentialOf(connection, clusterNamespace);
  const secret = reference
    ? `Secret ${reference.namespace}/${reference.name} in the files of --filename`
    : 'a Secret in the files of --filename (it acts as a ServiceAccount, whose token only the cluster issues)';
  const name = connectionName('Connection', key);
  const detail = [
    'Searched:',
    `  ${secret}`,
    '  --token-file',
    `  the environment variable ${tokenVariable}`,
    `  a sign-in to ${originsOf(connection.spec).join(' or ')} in ${loginFile}`,
    `Pass --token-file ${key}=FILE, or sign in with: ${signInCommand(connection.spec)}`,
  ];
  return new LocalError(`${name} has no credential here.`, { detail: detail.join('\n') });
}
