// The specs that people declare, drawn from the schema of crds/ with hints: which names exist, which moments are near.
import type { Random } from '../../../src/lib/random.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { Json } from '../kube/spec-rules.ts';
import { drawReference } from './fleet-reference.ts';
import type { Generators } from './generators.ts';
import { drawValue, type Hints, pick } from './schema-walker.ts';
import { windowsIn } from './windows.ts';

/** Valid as its CEL rules have it, too. `before` keeps what cannot be changed. */
export function drawPolicySpec(generators: Generators, before?: Json): Json {
  const { random, world, place } = generators;
  const schema = world.api.resource('rolealertpolicies').schema?.properties?.['spec'];
  if (!schema) throw new Error('policies have no schema');
  // Windows that anything but the clock decides hold nothing, or everything.
  const { correctionWindows: _, ...properties } = schema.properties ?? {};
  const drawn = drawValue({ ...schema, properties }, random, hintsOf(generators)) as Json;
  const alerts = withCrowd(generators, (drawn['alerts'] ?? []) as Json[]).map((line) => mend(generators, line));
  const kept = before ? { scope: before['scope'], connectionRef: before['connectionRef'] } : referenceIn(generators);
  const hasAlerts = drawn['alerts'] !== undefined || place.alertNames.length > 4;
  // The schema refuses a policy that declares nothing.
  const unlisted = alerts.length === 0 && { unlisted: { ...(drawn['unlisted'] as Json | undefined), state: 'Active' } };
  // The schema refuses an end of no suspension.
  const { suspendUntil, ...rest } = drawn;
  const end = rest['suspend'] === true && suspendUntil !== undefined && { suspendUntil };
  return { ...rest, ...windowsIn(generators), ...end, ...(hasAlerts && { alerts }), ...unlisted, ...kept };
}

function referenceIn(generators: Generators): Json {
  const connectionRef = drawReference(generators);
  return connectionRef ? { connectionRef } : {};
}

/** A merge patch that suspends a policy: for good, for a while, or until a time that is over. */
export function drawSuspension(generators: Generators): Json {
  return { suspend: true, suspendUntil: pick(generators.random, [null, null, null, ...momentsOf(generators)]) };
}

/** A merge patch that ends every suspension. */
export const resumption: Json = { suspend: false, suspendUntil: null };

/** Where there are many alerts, a policy names many of them. */
function withCrowd({ place, random }: Generators, lines: Json[]): Json[] {
  if (place.alertNames.length <= 4 || random.next() < 0.3) return lines;
  const most = Math.min(40, place.alertNames.length - 4);
  const crowd = place.alertNames
    .slice(4, 4 + most)
    .map((name) => ({ name, state: random.next() < 0.8 ? 'Inactive' : 'Active' }));
  return [...lines.filter(({ name }) => !crowd.some((line) => line.name === name)), ...crowd];
}

function momentsOf({ world, actsUntilMs }: Generators): readonly string[] {
  const at = (ms: number) => new Date(startOfTimeMs + ms).toISOString().replace(/\.\d+Z/, 'Z');
  const nowMs = world.time.nowMs;
  return [
    at(nowMs - 60_000),
    at(Math.min(nowMs + 20_000, actsUntilMs)),
    at(Math.min(nowMs + 120_000, actsUntilMs)),
    at(actsUntilMs),
    at(nowMs + 20 * 3_600_000),
    at(nowMs + 20 * 3_600_000),
    at(nowMs + 20 * 3_600_000),
    at(nowMs + 9e9),
  ];
}

function hintsOf(generators: Generators): Hints {
  const { place, traits } = generators;
  const [first = ''] = place.alertNames;
  const [scope = ''] = place.scopes;
  const hints: Record<string, readonly unknown[]> = {
    // A policy of a ClusterRoleAlertConnection gets its reference from fleet.ts.
    'connectionRef.kind': ['RoleAlertConnection'],
    'connectionRef.name': ['prod', 'prod', 'prod', 'other', 'missing'],
    scope: [...place.scopes, scope.toUpperCase(), 'subscriptions/unknown'],
    mode: ['Enforce', 'Enforce', 'Enforce', 'Enforce', 'Observe'],
    interval: place.intervals,
    suspend: [false, false, false, false, false, true],
    suspendUntil: [undefined, ...momentsOf(generators)],
    'unlisted.state': ['Ignore', 'Ignore', 'Active'],
    'alerts[].name': [...place.alertNames.slice(0, 4), first.toLowerCase(), 'NoSuchAlert'],
    'alerts[].state': ['Active', 'Inactive', 'Inactive'],
    'damping.window': traits?.isLong ? ['10m', '1h', '6h'] : ['1m', '1m', '10m', '6h'],
    'damping.maxDeactivations': [1, 2, 3],
  };
  return (path) => hints[path];
}

/** A line drawn member by member, made to obey the rules between its members; most dismissals hold and can be granted. */
function mend(generators: Generators, line: Json): Json {
  if (line['state'] !== 'Inactive') {
    const { dismissal: _, ...rest } = line;
    return rest;
  }
  return { ...line, dismissal: { reason: 'tracked in SEC-1182', ...drawBound(generators) } };
}

function drawBound(generators: Generators): object {
  const { random } = generators;
  const until = pick(random, momentsOf(generators));
  const draw = random.next();
  if (draw < 0.25) return { incidents: drawIds(random), ...(random.next() < 0.3 && { until }) };
  if (draw < 0.5) return { maxIncidents: pick(random, [0, 1, 2, 5, 5]), until };
  return { until };
}

function drawIds(random: Random): readonly string[] {
  const all = [0, 1, 2].flatMap((first) => [0, 1, 2].map((second) => `incident-${first}-${second}`));
  return pick(random, [['incident-0-0'], ['incident-0-0', 'INCIDENT-1-1'], all, all]);
}
