// Who plays in a scenario: namespaces, connections with their credentials, scopes with their alerts, and the specs that
// people declare. All drawn by seed.
import type { Random } from '../../../src/lib/random.ts';
import { canaryClientSecret, canaryToken } from '../../support/canaries.ts';
import { type SimAlert, type SimIncident, simAlert } from '../alerts/sim-alert.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { createNamespace } from '../kube/namespaces.ts';
import { Refusal } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import { serviceOrigin, type World } from '../world.ts';
import { drawValue, type Hints, pick } from './schema-walker.ts';

export const namespaces = ['team-a', 'team-b'] as const;
export const policyNames = ['owners', 'guests', 'second', 'third'] as const;
export const connectionNames = ['prod', 'other'] as const;
export const alertNames = [
  'TooManyOwnersAssignedToResource',
  'TooManyPermanentOwnersAssignedToResource',
  'DuplicateRoleCreated',
  'RolesAssignedOutside',
] as const;
export const scopes = ['subscriptions/one', 'subscriptions/two', 'Subscriptions/Three/Deeper'] as const;
const severities = ['Low', 'Medium', 'High', 'Catastrophic'] as const;

/** Connections that `client` logs in for, and those with a token. */
export interface Cast {
  readonly world: World;
  readonly random: Random;
  /** Until when the scenario acts; virtual milliseconds. */
  readonly actsUntilMs: number;
}

export function credentialName(connection: string): string {
  return `${connection}-credential`;
}

/** The token that a connection's Secret holds at first. */
export function tokenOf(namespace: string, connection: string): string {
  return `${canaryToken}-${namespace}-${connection}`;
}

export function setUp(cast: Cast): void {
  const { world, random } = cast;
  for (const scope of scopes)
    world.service.addScope(
      scope,
      alertNames.slice(0, 2 + Math.floor(random.next() * 3)).map((name) => drawAlert(cast, name)),
    );
  for (const namespace of namespaces) {
    createNamespace(world.api, namespace);
    for (const name of connectionNames)
      if (name === 'prod' || random.next() < 0.5) createConnection(cast, namespace, name);
  }
  const count = 2 + Math.floor(random.next() * 4);
  for (let index = 0; index < count; index++) {
    attempt(() => createPolicy(cast, pick(random, namespaces), pick(random, policyNames)));
  }
}

export function drawAlert({ random }: Cast, name: string): SimAlert {
  const alert = simAlert(name, random.next() < 0.5, startOfTimeMs);
  alert.severity = pick(random, severities);
  alert.isEnabled = random.next() < 0.9;
  alert.incidents = drawIncidents(random);
  return alert;
}

export function drawIncidents(random: Random): SimIncident[] {
  const count = Math.floor(random.next() * 4);
  return Array.from({ length: count }, (_, index) => ({
    id: `incident-${Math.floor(random.next() * 3)}-${index}`,
    type: 'TooManyOwnersAssignedToResourceAlertIncident',
    assigneeName: 'Canary Person',
  }));
}

export function createConnection(cast: Cast, namespace: string, name: string): void {
  const { world, random } = cast;
  const { api, service } = world;
  const isClient = random.next() < 0.4;
  const caller = `${isClient ? 'client' : 'token'}-${namespace}-${name}`;
  if (isClient) service.clients.set(caller, canaryClientSecret);
  else service.staticTokens.set(tokenOf(namespace, name), caller);
  putSecret(cast, namespace, name, isClient ? canaryClientSecret : tokenOf(namespace, name));
  const reference = { name: credentialName(name), key: 'value' };
  const auth = isClient
    ? { clientCredentials: { tokenURL: `${serviceOrigin}/token`, clientID: caller, clientSecretRef: reference } }
    : { tokenSecretRef: reference };
  api.writes.create(api.resource('rolealertconnections'), namespace, {
    metadata: { name },
    spec: { endpoint: { baseURL: serviceOrigin }, auth, ...drawConnectionSettings(random) },
  });
}

export function drawConnectionSettings(random: Random): object {
  return {
    deactivation: random.next() < 0.7 ? 'Allow' : 'Deny',
    limits: {
      requestsPerHour: pick(random, [1200, 3600, 36_000]),
      burst: pick(random, [10, 20, 50]),
      maxConcurrent: pick(random, [1, 2, 4]),
      requestTimeout: pick(random, ['5s', '30s']),
      minInterval: pick(random, ['5s', '30s', '1m']),
      maxPages: 20,
      maxPageBytes: 65_536,
      deactivationsPerHour: pick(random, [1, 3, 10]),
      maxDismissal: pick(random, ['24h', '720h']),
    },
  };
}

export function putSecret(
  { world }: Cast,
  namespace: string,
  connection: string,
  value: string,
  isLabelled = true,
): void {
  const { api } = world;
  const name = credentialName(connection);
  const sent = {
    metadata: { name, ...(isLabelled && { labels: { 'rolealerts.dev/credential': 'true' } }) },
    data: { value: Buffer.from(value).toString('base64') },
  };
  const secrets = api.resource('secrets');
  if (api.store.get('secrets', `${namespace}/${name}`)) api.writes.replace(secrets, namespace, name, sent);
  else api.writes.create(secrets, namespace, sent);
}

export function createPolicy(cast: Cast, namespace: string, name: string): void {
  const { api } = cast.world;
  api.writes.create(api.resource('rolealertpolicies'), namespace, { metadata: { name }, spec: drawPolicySpec(cast) });
}

/** Valid as its CEL rules have it, too. `before` keeps what cannot be changed. */
export function drawPolicySpec(cast: Cast, before?: Json): Json {
  const { random, world } = cast;
  const schema = world.api.resource('rolealertpolicies').schema?.properties?.['spec'];
  if (!schema) throw new Error('policies have no schema');
  const drawn = drawValue(schema, random, hintsOf(cast)) as Json;
  const ends = hintsOf(cast)('alerts[].dismissal.until') ?? [];
  const alerts = ((drawn['alerts'] ?? []) as Json[]).map((line) => mend(line, ends, random));
  const kept = before ? { scope: before['scope'], connectionRef: before['connectionRef'] } : {};
  return { ...drawn, ...(drawn['alerts'] !== undefined && { alerts }), ...kept };
}

function hintsOf({ world, actsUntilMs }: Cast): Hints {
  const at = (ms: number) => new Date(startOfTimeMs + ms).toISOString().replace(/\.\d+Z/, 'Z');
  const nowMs = world.time.nowMs;
  const moments = [
    at(nowMs - 60_000),
    at(Math.min(nowMs + 120_000, actsUntilMs)),
    at(actsUntilMs),
    at(20 * 3_600_000),
    at(9e9),
  ];
  const hints: Record<string, readonly unknown[]> = {
    'connectionRef.name': ['prod', 'prod', 'prod', 'other', 'missing'],
    scope: [...scopes, scopes[0].toUpperCase(), 'subscriptions/unknown'],
    mode: ['Enforce', 'Enforce', 'Enforce', 'Observe'],
    interval: ['10s', '30s', '1m', '2m'],
    suspend: [false, false, false, false, true],
    'alerts[].name': [...alertNames, alertNames[0].toLowerCase(), 'NoSuchAlert'],
    'alerts[].dismissal.incidents': [
      ['incident-0-0'],
      ['incident-0-0', 'INCIDENT-1-1'],
      ['incident-0-0', 'incident-1-0', 'incident-2-0'],
    ],
    'alerts[].dismissal.maxIncidents': [0, 1, 2, 5],
    'alerts[].dismissal.until': moments,
    'damping.window': ['1m', '10m', '6h'],
    'damping.maxDeactivations': [1, 2, 3],
  };
  return (path) => hints[path];
}

/** A line drawn member by member, made to obey the rules between its members. */
function mend(line: Json, ends: readonly unknown[], random: Random): Json {
  if (line['state'] !== 'Inactive') {
    const { dismissal: _, ...rest } = line;
    return rest;
  }
  const { incidents, maxIncidents, until } = (line['dismissal'] ?? {}) as Json;
  const reason = 'tracked in SEC-1182';
  if (incidents !== undefined && random.next() < 0.5) {
    return { ...line, dismissal: { reason, incidents, ...(until !== undefined && { until }) } };
  }
  const end = { until: until ?? pick(random, ends) };
  return { ...line, dismissal: { reason, ...(maxIncidents !== undefined && { maxIncidents }), ...end } };
}

/** What the API server refuses is refused; everything else is a bug of the simulation. */
export function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
