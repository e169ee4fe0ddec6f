// The facts that messages name, and how they enter the sentences of a reason. All of them are derived from specs and lists, so that
// an unchanged state causes no status write.
import type { NetworkCause } from '../../alerts/alerts-error.ts';
import { connectionKeyOf, isClusterConnectionKey, partsOfConnectionKey } from '../../policy/connection-key.ts';
import type { EffectiveSettings } from '../../policy/generated/role-alert-policy.ts';
import type { AnyConnection, CredentialRef, RoleAlertPolicy, ServiceAccountRef } from '../../policy/resources.ts';
import { caBundleOf, credentialOf, federatedAudienceAnnotation, serviceAccountOf } from '../../policy/resources.ts';
import { suspensionEndMs } from '../../policy/suspension.ts';

export interface MessageFacts {
  /** The key of the connection (policy/connection-key.ts). */
  readonly connection?: string | undefined;
  /** The connection is being deleted. */
  readonly isConnectionDeleted?: boolean | undefined;
  /** The base URL of the service. */
  readonly endpoint?: string | undefined;
  readonly tokenURL?: string | undefined;
  readonly credential?: CredentialRef | undefined;
  /** Instead of a Secret. */
  readonly serviceAccount?: ServiceAccountRef | undefined;
  /** Also a dismissal that names its incidents needs an end. */
  readonly dismissalsNeedEnd?: boolean | undefined;
  /** The ConfigMap of the CA bundle. */
  readonly caBundle?: CredentialRef | undefined;
  readonly scope?: string | undefined;
  /** Of the policy. */
  readonly namespace?: string | undefined;
  /** `Alert A`, or `Alerts A and B`. */
  readonly alerts?: string | undefined;
  /** Those that the service does not list. */
  readonly missing?: readonly MissingAlert[] | undefined;
  /** The service's `error.code`. */
  readonly serviceCode?: string | undefined;
  /** Why the last request had no usable response. */
  readonly networkCause?: NetworkCause | undefined;
  /** Requests per hour that the policies of a connection need. */
  readonly needed?: number;
  /** Requests per hour that the connection allows. */
  readonly allowed?: number;
  /** The `limits.minInterval` with which that suffices; `none` if no interval does. */
  readonly fittingInterval?: string;
  /** The namespace that needs the most of them, and how many. */
  readonly largest?: { readonly namespace: string; readonly needed: number } | undefined;
  /** Why the operator only reports drift. */
  readonly observing?: Observing | undefined;
  /** The end of the suspension, as the spec has it. */
  readonly suspendUntil?: string | undefined;
  /** The policies that own the alerts: `policy a/b`, or `policies a/b and c/d`. */
  readonly owners?: string | undefined;
  /** When correction windows open, in UTC. */
  readonly opening?: string | undefined;
  /** The member of a correction window that cannot be read. */
  readonly window?: string | undefined;
  /** How many alerts a connection that is being deleted has to activate. */
  readonly remaining?: number;
  /** The reason of the connection that is not ready. */
  readonly cause?: string | undefined;
}

export interface MissingAlert {
  readonly name: string;
  /** When the service stopped listing it; undefined if it never did. */
  readonly since: string | undefined;
  /** The listed name that a misspelled one probably means. Only commands search it: a service may list thousands of long names. */
  readonly nearest?: string | undefined;
}

/**
 * Why drift is only reported: the mode of the policy, the grant of the connection, the option of the operator, or the
 * deletion of the policy.
 */
type Observing = 'Mode' | 'Grant' | 'ReadOnly' | 'Deletion';

/** The connection exists or not. */
export function factsOfPolicy(policy: RoleAlertPolicy, effective: EffectiveSettings): MessageFacts {
  const { metadata, spec } = policy;
  return {
    connection: connectionKeyOf(policy),
    scope: effective.scope,
    namespace: metadata.namespace,
    observing: observingOf(policy, effective),
    suspendUntil: suspensionEndMs(spec) === undefined ? undefined : spec.suspendUntil,
  };
}

function observingOf({ spec }: RoleAlertPolicy, effective: EffectiveSettings): Observing {
  if (spec.mode === 'Observe') return 'Mode';
  return effective.mode === 'Observe' ? 'ReadOnly' : 'Deletion';
}

/** `clusterNamespace`: where the Secrets of every ClusterRoleAlertConnection are. */
export function factsOfConnection(connection: AnyConnection, clusterNamespace: string): MessageFacts {
  const { metadata, spec } = connection;
  return {
    connection: `${metadata.namespace ?? ''}/${metadata.name}`,
    isConnectionDeleted: metadata.deletionTimestamp !== undefined,
    endpoint: spec.endpoint.baseURL,
    tokenURL: addressOf((spec.auth.clientCredentials ?? spec.auth.federated)?.tokenURL),
    credential: credentialOf(connection, clusterNamespace),
    serviceAccount: serviceAccountOf(connection, clusterNamespace),
    caBundle: caBundleOf(connection, clusterNamespace),
    dismissalsNeedEnd: spec.limits.dismissalsNeedEnd,
  };
}

/** Without the query, which may hold a key. */
function addressOf(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  return parsed ? `${parsed.origin}${parsed.pathname}` : undefined;
}

/** Replaces each placeholder `{NAME}`; a fact that is not known becomes a general word. */
export function fillIn(template: string, facts: MessageFacts): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => words[name]?.(facts) ?? placeholder);
}

const words: Readonly<Record<string, (facts: MessageFacts) => string>> = {
  Alerts: ({ alerts }) => alerts ?? 'An alert',
  AlertsOrScope: ({ alerts, scope }) => alerts ?? `Scope ${scope ?? 'unknown'}`,
  Scope: ({ scope }) => (scope === undefined ? 'The scope' : `Scope ${scope}`),
  scope: ({ scope }) => (scope === undefined ? 'the scope' : `scope ${scope}`),
  Connection: ({ connection }) =>
    connection === undefined ? 'The connection' : connectionName('Connection', connection),
  connection: ({ connection }) =>
    connection === undefined ? 'the connection' : connectionName('connection', connection),
  denyingCause: denyingCauseOf,
  denyingFix: denyingFixOf,
  asked: askedBy,
  inNamespace: ({ connection = '' }) => (isClusterConnectionKey(connection) ? '' : ' in the namespace of the policy'),
  endpoint: ({ endpoint }) => endpoint ?? 'its endpoint',
  tokenURL: ({ tokenURL }) => (tokenURL === undefined ? '' : ` ${tokenURL}`),
  orTokenURL: ({ tokenURL }) => (tokenURL === undefined ? '' : ` or the token URL ${tokenURL}`),
  hosts: hostsOf,
  ConfigMap: ({ caBundle }) => (caBundle ? `ConfigMap ${nameOf(caBundle)}` : 'The ConfigMap'),
  Secret: ({ credential }) => (credential ? `Secret ${nameOf(credential)}` : 'The Secret'),
  ServiceAccount: ({ serviceAccount }) =>
    serviceAccount ? `ServiceAccount ${accountNameOf(serviceAccount)}` : 'The ServiceAccount',
  accountArguments: ({ serviceAccount }) => (serviceAccount ? annotateArguments(serviceAccount) : 'NAME'),
  audience: ({ serviceAccount }) => (serviceAccount ? ` ${serviceAccount.audience}` : ''),
  Credential: (facts) => words[facts.serviceAccount ? 'ServiceAccount' : 'Secret']?.(facts) ?? '',
  renewable: ({ serviceAccount }) =>
    serviceAccount ? 'the access of auth.federated.clientID at the service' : 'the credential in the Secret',
  failed: ({ networkCause }) => causeText(networkCause)?.what ?? 'did not answer or failed',
  failedFix: ({ networkCause }) =>
    causeText(networkCause)?.fix('endpoint.baseURL') ?? 'the network, DNS and the service',
  issuedNoToken: (facts) => causeText(facts.networkCause)?.what ?? `issued no token for ${clientCredentialOf(facts)}`,
  tokenFix: ({ networkCause, serviceAccount }) =>
    causeText(networkCause)?.fix('tokenURL') ??
    `${serviceAccount ? federatedParts : clientParts}; the event and the operator's log have the cause`,
  untrusted: ({ networkCause, caBundle }) => tlsText(networkCause, caBundle)?.what ?? '',
  trustFix: ({ networkCause, caBundle }) => tlsText(networkCause, caBundle)?.fix ?? generalTrustFix,
  secretArguments: ({ credential }) => (credential ? `${credential.name} -n ${credential.namespace}` : 'NAME'),
  code: ({ serviceCode }) => (serviceCode === undefined ? '' : ` (error code ${serviceCode})`),
  needed: ({ needed }) => String(needed ?? 'more'),
  enough: ({ needed }) => String(needed ?? 'the value of status.predictedRequestsPerHour'),
  allowed: ({ allowed }) => String(allowed ?? 'fewer'),
  largest: ({ largest }) => (largest ? `; namespace ${largest.namespace} needs ${largest.needed} of them` : ''),
  orInterval: ({ fittingInterval }) => orInterval(fittingInterval),
  observingCause: ({ observing }) => observingTexts[observing ?? 'Any'].cause,
  observingFix: ({ observing }) => observingTexts[observing ?? 'Any'].fix,
  untilEnd: ({ suspendUntil }) => (suspendUntil === undefined ? '' : ` until ${suspendUntil}`),
  earlier: ({ suspendUntil }) =>
    suspendUntil === undefined ? ' to resume it' : ' and remove spec.suspendUntil to resume it earlier',
  tooLong: ({ dismissalsNeedEnd }) =>
    dismissalsNeedEnd === true ? 'has no end, or ends later' : 'lists no incidents and ends later',
  orIncidents: ({ dismissalsNeedEnd }) =>
    dismissalsNeedEnd === true
      ? ', which limits.dismissalsNeedEnd requires of every dismissal'
      : ', or list the covered incidents in `incidents`',
  missing: ({ missing = [] }) => missing.map(missingText).join(''),
  missingFix: ({ missing = [] }) =>
    missing.length > 0 && missing.every(({ since }) => since !== undefined)
      ? 'with the owner of the service what became of it'
      : 'the spelling in spec.alerts',
  owners: ({ owners }) => owners ?? 'another policy of this scope',
  opening: ({ opening }) => (opening === undefined ? '' : ` until ${opening}`),
  remaining: ({ remaining = 0 }) => (remaining === 1 ? 'one alert is' : `${remaining} alerts are`),
  window: ({ window }) => window ?? 'a correction window',
  cause: ({ cause }) => (cause === undefined ? '' : ` (${cause})`),
};

function missingText({ name, since, nearest }: MissingAlert): string {
  if (since !== undefined) return ` It listed ${name} before ${since}.`;
  return nearest === undefined ? '' : ` The nearest to ${name} that it lists is ${nearest}.`;
}

const clientParts = 'tokenURL, clientID, scopes and the client secret';
const federatedParts = 'tokenURL, clientID, scopes, and the issuer, subject and audience that it trusts';

interface CauseText {
  /** After the name of the server. */
  readonly what: string;
  /** `field`: the one with its address. */
  readonly fix: (field: string) => string;
}

const causeTexts: Partial<Readonly<Record<NetworkCause, CauseText>>> = {
  NameNotResolved: {
    what: 'has a host name that cannot be resolved',
    fix: (field) => `the host in ${field}, and DNS`,
  },
  Refused: {
    what: 'refuses the connection',
    fix: (field) => `the port in ${field}, whether the server runs, and the network`,
  },
  TimedOut: {
    what: 'did not respond in time',
    fix: () => 'firewalls and the network on the way to the server, and its load',
  },
  Closed: {
    what: 'closed the connection without a response',
    fix: () => 'the server, and proxies, firewalls and the network on the way to it',
  },
};

function causeText(cause: NetworkCause | undefined): CauseText | undefined {
  if (typeof cause !== 'number') return cause && causeTexts[cause];
  return { what: `fails with status ${cause}`, fix: () => 'the log of the server, or ask its owner' };
}

const generalTrustFix = 'that endpoint.caBundleRef has the right authority, or renew the certificate of the service';

function tlsText(cause: NetworkCause | undefined, caBundle: CredentialRef | undefined) {
  const bundle = caBundle ? `ConfigMap ${nameOf(caBundle)}` : 'the CA bundle';
  switch (cause) {
    case 'UnknownAuthority':
      return {
        what: `, because the authority of the certificate is unknown: it is not ${caBundle ? `in ${bundle}` : 'a public one'}`,
        fix: caBundle
          ? 'who issued the certificate, and add that authority or correct endpoint.caBundleRef'
          : 'who issued the certificate, and set endpoint.caBundleRef to a ConfigMap with that authority',
      };
    case 'CertificateExpired':
      return { what: ', because the certificate has expired', fix: 'why the certificate was not renewed' };
    case 'OtherHostName':
      return {
        what: ', because the certificate is for another host name',
        fix: 'the host in the URL, and the names in the certificate',
      };
    case 'NotTLS':
      return { what: ', because the port does not serve TLS', fix: 'the port in the URL' };
    case 'BundleInvalid':
      return { what: `, because ${bundle} is not a list of PEM certificates`, fix: 'the value of that key' };
    default:
      return undefined;
  }
}

const observingTexts: Readonly<Record<Observing | 'Any', { readonly cause: string; readonly fix: string }>> = {
  Mode: { cause: 'spec.mode is Observe', fix: 'set spec.mode to Enforce' },
  Grant: {
    cause: 'the connection grants only Observe',
    fix: 'ask its owner for an entry in spec.access with maxMode Enforce',
  },
  ReadOnly: {
    cause: 'the operator runs with --read-only',
    fix: 'start the operator without --read-only',
  },
  Deletion: { cause: 'the policy is being deleted', fix: 'create it again after its deletion' },
  Any: {
    cause: 'spec.mode is Observe or the operator runs with --read-only',
    fix: 'set spec.mode to Enforce, or start the operator without --read-only',
  },
};

function denyingCauseOf(facts: MessageFacts): string {
  if (facts.isConnectionDeleted === true) return ' (it is being deleted)';
  return isClusterConnectionKey(facts.connection ?? '') ? ` ${askedBy(facts)}` : ' (spec.deactivation is Deny)';
}

function denyingFixOf({ connection = '', isConnectionDeleted }: MessageFacts): string {
  if (isConnectionDeleted === true) return 'create the connection again after its deletion';
  return isClusterConnectionKey(connection)
    ? 'allow it in spec.deactivation and in one entry of spec.access with maxMode Enforce'
    : 'set spec.deactivation to Allow';
}

/** Only what the policy asks for: what the connection grants to others is not for its reader. */
function askedBy({ namespace = 'of the policy', scope = 'the scope' }: MessageFacts): string {
  return `to the policies of namespace ${namespace} on scope ${scope}`;
}

/** A cluster connection has the name of its kind before it, because that name alone says where it is. */
export function connectionName(word: 'Connection' | 'connection', key: string): string {
  const { kind, name } = partsOfConnectionKey(key);
  return isClusterConnectionKey(key) ? `${kind} ${name}` : `${word} ${key}`;
}

/** The hosts that a connection sends credentials to. */
function hostsOf({ endpoint, tokenURL }: MessageFacts): string {
  const hosts = [endpoint, tokenURL].map((url) => (url === undefined ? undefined : URL.parse(url)?.hostname));
  const known = [...new Set(hosts.filter((host) => host !== undefined))];
  if (known.length === 0) return 'a host of the connection';
  return known.length === 1 ? `the host ${known[0]}` : `one of the hosts ${known.join(' and ')}`;
}

function nameOf({ namespace, name, key }: CredentialRef): string {
  return `${namespace}/${name}, key ${key}`;
}

function accountNameOf({ namespace, name }: ServiceAccountRef): string {
  return `${namespace}/${name}`;
}

function annotateArguments({ namespace, name, audience }: ServiceAccountRef): string {
  return `${name} -n ${namespace} ${federatedAudienceAnnotation}=${audience}`;
}

function clientCredentialOf({ serviceAccount, credential }: MessageFacts): string {
  if (serviceAccount) return `ServiceAccount ${accountNameOf(serviceAccount)}, audience ${serviceAccount.audience}`;
  return `the client secret in ${credential ? `Secret ${nameOf(credential)}` : 'the Secret'}`;
}

function orInterval(fitting: string | undefined): string {
  if (fitting === undefined) return '';
  return fitting === 'none' ? '; no interval up to 24h suffices' : `, or limits.minInterval to ${fitting}`;
}
