// Every combination of windows, damping, claims, mode and grant for one dismissed alert that is active, against a second reading of
// the rules.
import { expect, it } from 'vitest';

import type { PlanInput, PolicyInput } from '../../../../src/operator/decide/decisions.ts';
import { plan, planActions } from '../../../../src/operator/decide/plan.ts';
import type { CorrectionWindow } from '../../../../src/policy/generated/role-alert-policy.ts';
import {
  active,
  alertName,
  allowed,
  inactive,
  input,
  minuteMs,
  nowMs,
  planInput,
  workdays,
} from '../../../support/builders/objects.ts';

const windows = ['none', 'open', 'of the policy', 'of the connection', 'of both', 'not ahead', 'unreadable'] as const;
const dampings = ['free', 'used up'] as const;
const claims = [
  'alone',
  'Active in the connection',
  'a guard in the connection',
  'older, without windows',
  'older, with closed windows',
] as const;
const modes = ['Enforce', 'Observe', 'suspended'] as const;
const gates = ['Allow', 'Deny'] as const;

interface Case {
  readonly window: (typeof windows)[number];
  readonly damping: (typeof dampings)[number];
  readonly claim: (typeof claims)[number];
  readonly mode: (typeof modes)[number];
  readonly gate: (typeof gates)[number];
}

const cases: readonly Case[] = windows.flatMap((window) =>
  dampings.flatMap((damping) =>
    claims.flatMap((claim) =>
      modes.flatMap((mode) => gates.map((gate): Case => ({ window, damping, claim, mode, gate }))),
    ),
  ),
);

const always: CorrectionWindow = { kind: 'Allow', schedule: '0 0 * * *', duration: '24h', timeZone: 'UTC' };

function ofPolicy(window: Case['window']): readonly CorrectionWindow[] {
  if (window === 'open') return [always];
  if (window === 'not ahead') return [{ ...always, kind: 'Deny' }];
  if (window === 'unreadable') return [{ ...always, timeZone: 'Mars/Utopia' }];
  return window === 'of the policy' || window === 'of both' ? [workdays] : [];
}

function ofConnection(window: Case['window']): readonly CorrectionWindow[] {
  if (window === 'open') return [always];
  return window === 'of the connection' || window === 'of both' ? [workdays] : [];
}

function mine({ window, mode, gate }: Case): PolicyInput {
  const spec = {
    alerts: [inactive({})],
    correctionWindows: ofPolicy(window),
    mode: mode === 'Observe' ? ('Observe' as const) : ('Enforce' as const),
    suspend: mode === 'suspended',
  };
  return input({ name: 'mine', spec, grant: grantOf(window, gate) });
}

function grantOf(window: Case['window'], deactivation: Case['gate']) {
  return { ...allowed, deactivation, correctionWindows: ofConnection(window) };
}

function others({ window, claim, gate }: Case): readonly PolicyInput[] {
  const grant = grantOf(window, gate);
  const older = { name: 'older', createdAt: '2025-01-01T00:00:00Z' };
  const off = { alerts: [inactive({})] };
  switch (claim) {
    case 'alone':
      return [];
    case 'Active in the connection':
      return [input({ name: 'on', spec: { alerts: [active] }, grant })];
    case 'a guard in the connection':
      return [input({ name: 'guard', spec: { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } }, grant })];
    case 'older, without windows':
      return [input({ ...older, spec: off, grant })];
    case 'older, with closed windows':
      return [input({ ...older, spec: { ...off, correctionWindows: [workdays] }, grant })];
  }
}

/** What the policy `mine` gets, read from the documentation. */
function expected({ window, damping, claim, mode, gate }: Case): string {
  if (gate === 'Deny') return 'Denied DeactivationDenied';
  if (mode !== 'Enforce') return 'Drifted ObserveOnly';
  if (claim === 'Active in the connection') return 'Conflict';
  const isClosedThere = window === 'of the connection' || window === 'of both';
  // The windows of the policy that owns the alert count; damping counts by the alert, whatever policy declared it.
  if (claim === 'older, with closed windows') return damping === 'used up' ? 'Held Flapping' : 'Held WaitingForWindow';
  if (damping === 'used up') return 'Held Flapping';
  if (claim === 'older, without windows') return isClosedThere ? 'Held WaitingForWindow' : 'Drifted';
  if (window === 'unreadable') return 'Held WindowInvalid';
  if (window === 'not ahead') return 'Held NoWindowAhead';
  return isClosedThere || window === 'of the policy' ? 'Held WaitingForWindow' : 'Drifted';
}

const sentMs = [180, 120, 60].map((minutes) => nowMs - minutes * minuteMs);
const inputOf = (each: Case): PlanInput =>
  planInput({
    policies: [mine(each), ...others(each)],
    recentDeactivations: new Map(each.damping === 'free' ? [] : [[alertName.toLowerCase(), sentMs]]),
  });

function found(each: Case): string {
  const own = plan(inputOf(each)).policies.find(({ key }) => key === 'team/mine');
  const decision = own?.alerts.find(({ name }) => name === alertName);
  return [decision?.result, decision?.reason].filter(Boolean).join(' ');
}

it('each combination of windows, damping, claims, mode and grant has the result and reason of the rules', () => {
  const wrong = cases.filter((each) => found(each) !== expected(each));
  expect(wrong.map((each) => ({ ...each, found: found(each), expected: expected(each) }))).toEqual([]);
  expect(cases).toHaveLength(420);
});

it('in no combination is a deactivation planned that a window, damping, a claim, the mode or the grant holds', () => {
  const isPlanned = (each: Case) => planActions(inputOf(each)).some(({ isActive }) => !isActive);
  // A policy that only reports does not keep the older one from its deactivation.
  const isOlder = ({ claim, mode }: Case) => mode !== 'Enforce' && claim === 'older, without windows';
  const mayBe = (each: Case) => expected(isOlder(each) ? { ...each, mode: 'Enforce' } : each) === 'Drifted';
  expect(cases.filter((each) => isPlanned(each) !== mayBe(each))).toEqual([]);
});
