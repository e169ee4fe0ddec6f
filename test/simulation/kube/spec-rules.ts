// The CEL rules of crds/ that a scenario can break, written by hand. The same cases are run against a real API server, so that
// the two cannot drift.
import { parseDuration } from '../../../src/lib/duration.ts';

/** `PATH: WHAT` for every broken rule. `before` is undefined when the object is created. */
export type SpecRules = (spec: Json, before: Json | undefined) => string[];

export type Json = Readonly<Record<string, unknown>>;

const durationForm = /^([0-9]{1,6}([.][0-9]{1,6})?(ms|s|m|h))+$/;

export const policyRuleViolations: SpecRules = (spec, before) => [
  ...(before && !isSame(spec['scope'], before['scope']) ? ['spec.scope: cannot be changed'] : []),
  ...(before && !isSame(spec['connectionRef'], before['connectionRef'])
    ? ['spec.connectionRef: cannot be changed']
    : []),
  ...scopeViolations(String(spec['scope'])),
  ...durationViolations('spec.interval', spec['interval'], 5000, 86_400_000),
  ...alertViolations((spec['alerts'] ?? []) as readonly Json[]),
];

export const connectionRuleViolations: SpecRules = (spec) => {
  const auth = (spec['auth'] ?? {}) as Json;
  const limits = (spec['limits'] ?? {}) as Json;
  const ways = ['clientCredentials', 'tokenSecretRef'].filter((way) => auth[way] !== undefined);
  return [
    ...(ways.length === 1 ? [] : ['spec.auth: exactly one way is needed']),
    ...durationViolations('spec.limits.requestTimeout', limits['requestTimeout'], 1000, 300_000),
    ...durationViolations('spec.limits.minInterval', limits['minInterval'], 5000, 86_400_000),
    ...durationViolations('spec.limits.maxDismissal', limits['maxDismissal'], 60_000, 31_536_000_000),
  ];
};

function scopeViolations(scope: string): string[] {
  const isBroken =
    scope.startsWith('/') || scope.endsWith('/') || scope.includes('//') || /(^|\/)[.][.]?(\/|$)/.test(scope);
  return isBroken || !/^[A-Za-z0-9._()~ /-]*$/.test(scope) ? ['spec.scope: is not a scope'] : [];
}

function durationViolations(path: string, value: unknown, leastMs: number, mostMs: number): string[] {
  if (typeof value !== 'string') return [];
  const ms = durationForm.test(value) ? parseDuration(value) : undefined;
  return ms === undefined || ms < leastMs || ms > mostMs ? [`${path}: is not a duration within its bounds`] : [];
}

function alertViolations(alerts: readonly Json[]): string[] {
  const names = alerts.map(({ name }) => String(name).toLowerCase());
  const repeated = new Set(names).size < names.length ? ['spec.alerts: two names differ only in case'] : [];
  return [...repeated, ...alerts.flatMap((alert, index) => lineViolations(alert, `spec.alerts[${index}]`))];
}

function lineViolations({ name, state, dismissal }: Json, path: string): string[] {
  const isNamed = /^[A-Za-z0-9._()~-]*$/.test(String(name)) && name !== '.' && name !== '..';
  return [
    ...(isNamed ? [] : [`${path}.name: is not a name`]),
    ...(state === 'Inactive' && !dismissal ? [`${path}.dismissal: is needed`] : []),
    ...(state !== 'Inactive' && dismissal ? [`${path}.dismissal: is only for Inactive`] : []),
    ...(dismissal ? dismissalViolations(dismissal as Json, `${path}.dismissal`) : []),
  ];
}

function dismissalViolations({ incidents, maxIncidents, until }: Json, path: string): string[] {
  return [
    ...(incidents !== undefined && maxIncidents !== undefined ? [`${path}.maxIncidents: not with incidents`] : []),
    ...(incidents === undefined && maxIncidents === undefined && until === undefined ? [`${path}: has no bound`] : []),
    ...(typeof until === 'string' && Number.isNaN(Date.parse(until)) ? [`${path}.until: is not a moment`] : []),
  ];
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
