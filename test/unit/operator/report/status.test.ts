// The status of a policy: the table "Conditions and kstatus" row by row, what moves and what stays, and how large it gets.
import { describe, expect, it } from 'vitest';

import { formatTimestamp } from '../../../../src/lib/timestamp.ts';
import type { StatusCause } from '../../../../src/operator/decide/conclude.ts';
import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { failureOf } from '../../../../src/operator/decide/failures.ts';
import { type Correction, nextHistory } from '../../../../src/operator/decide/writes.ts';
import { statusEvents } from '../../../../src/operator/report/events.ts';
import { nextPolicyStatus } from '../../../../src/operator/report/policy-status.ts';
import type { RoleAlertPolicyStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { type ErrorCode, errorOf } from '../../../support/builders/errors.ts';
import {
  alert,
  alertName,
  allowed,
  damped,
  input,
  minuteMs,
  nowMs,
  policy,
  refused,
  workdays,
} from '../../../support/builders/objects.ts';
import { kstatusOf } from '../../../support/checks/kstatus.ts';
import { dismissing, listed, off, sent, statusInput } from '../../../support/reasons/samples.ts';

const effective = { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' } as const;

function statusOf(cause: StatusCause, object: RoleAlertPolicy = policy(), atMs = nowMs): RoleAlertPolicyStatus {
  return nextPolicyStatus({ policy: object, cause, effective, connection: 'Connected', nowMs: atMs });
}

const failed = (code: ErrorCode, facts = {}, isStale = false): StatusCause => ({
  kind: 'failed',
  failure: failureOf(errorOf(code, 'as the test wants it', facts)),
  isStale,
});

const signs = { True: '+', False: '-', Unknown: '?' };

/** `REASON TYPES` of the four that sum up, in their order; each type with the sign of its status. */
function summed(status: RoleAlertPolicyStatus): string {
  const types = new Set(['Ready', 'Reconciling', 'Stalled', 'InSync']);
  const found = status.conditions?.filter(({ type }) => types.has(type)) ?? [];
  const texts = found.map(({ type, status: value, reason }, index) => {
    const isSame = found[index - 1]?.reason === reason;
    return `${isSame ? ' ' : `, ${reason} `}${signs[value]}${type}`;
  });
  return texts.join('').slice(2);
}

function kstatus(status: RoleAlertPolicyStatus): string {
  const { metadata, kind } = policy();
  return kstatusOf({ kind, metadata, status } as never);
}

const observing = { policies: [input({ spec: { mode: 'Observe' } })], alerts: [off] };
const failure = (kind: 'Refused' | 'Unreachable') => ({ failure: { kind, serviceCode: 'Nope', retryAtMs: nowMs + 1 } });
/** The alert is inactive, and this write was sent. */
const written = (change: object) => listed({ alerts: [off], sent: sent(change) });
const dismissed = (change: Partial<PlanInput>) => listed({ policies: [dismissing()], ...change });
const granted = (grant: typeof allowed) => listed({ policies: [dismissing({ grant })] });
const activationBackoffs = new Map([[alertName.toLowerCase(), { count: 1, lastMs: nowMs }]]);
const unseen = written({ sentAtMs: nowMs - 2 * minuteMs });
const before = statusOf(listed({}));

const table: readonly [string, StatusCause, string][] = [
  ['live as declared', listed({}), 'Succeeded +Ready, InSync +InSync'],
  ['sent, not yet seen live', written({}), 'VerifyingWrite ?Ready +Reconciling ?InSync'],
  ['not seen within its time', unseen, 'WriteNotVerified -Ready, RetryingWrite +Reconciling, WriteNotVerified -InSync'],
  ['drift, Observe', listed(observing), 'Observed +Ready, ObserveOnly -InSync'],
  ['drift, read-only', listed({ isReadOnly: true, alerts: [off] }), 'Observed +Ready, ObserveOnly -InSync'],
  ['deactivation not granted', granted(refused), 'DeactivationDenied -Ready +Stalled -InSync'],
  ['ledger full', dismissed({ ledgerRoom: 0 }), 'LedgerFull -Ready +Stalled -InSync'],
  [
    'owned by another',
    dismissed({ policies: [dismissing(), input({ name: 'on' })] }),
    'ScopeConflict -Ready +Stalled -InSync',
  ],
  ['connection not found', { kind: 'no-connection' }, 'ConnectionNotFound -Ready +Stalled ?InSync'],
  ['connection not usable', failed('service-denied'), 'ConnectionNotReady -Ready +Reconciling, InSync +InSync'],
  ['scope refused', failed('service-rejected'), 'ScopeRejected -Ready +Stalled ?InSync'],
  ['scope forbidden', failed('scope-forbidden'), 'ScopeForbidden -Ready +Stalled ?InSync'],
  ['scope not found', failed('scope-not-found'), 'ScopeNotFound -Ready +Stalled ?InSync'],
  ['declared Active, not in the list', listed({ alerts: [] }), 'AlertNotFound -Ready -InSync'],
  ['PATCH refused for one alert', written(failure('Refused')), 'CorrectionFailed -Ready +Reconciling -InSync'],
  ['PATCH not answered', written(failure('Unreachable')), 'ServiceUnreachable -Ready +Reconciling -InSync'],
  ['answer not to be trusted', failed('service-protocol'), 'ProtocolError -Ready +Reconciling, InSync +InSync'],
  [
    'list too large',
    failed('service-protocol', { reason: 'ListTooLarge' }),
    'ListTooLarge -Ready +Reconciling, InSync +InSync',
  ],
  ['5xx, network, deadline', failed('service-unreachable'), 'ServiceUnreachable -Ready +Reconciling, InSync +InSync'],
  ['throttled', failed('service-busy'), 'Succeeded +Ready, InSync +InSync'],
  ['throttled for three intervals', failed('service-busy', {}, true), 'Stale ?Ready, InSync +InSync'],
  ['suspended after a decided reconcile', { kind: 'suspended' }, 'Suspended +Ready ?InSync'],
  ['kept on by others too often', dismissed(damped), 'Flapping -Ready +Stalled -InSync'],
  ['deactivations of the hour used up', dismissed({ deactivationsLeft: 0 }), 'DeactivationLimited +Ready -InSync'],
  [
    'deactivation held by a window',
    granted({ ...allowed, correctionWindows: [workdays] }),
    'WaitingForWindow +Ready, OutsideWindow -InSync',
  ],
  [
    'undone by others a moment ago',
    listed({ alerts: [off], activationBackoffs }),
    'CorrectionUndone -Ready, RetryingWrite +Reconciling, CorrectionUndone -InSync',
  ],
  ['drift that only the verifying list found', listed({ alerts: [off] }), 'Progressing ?Ready +Reconciling -InSync'],
  ['a bug', failed('local'), 'InternalError ?Ready +Reconciling, InSync +InSync'],
];

describe('the table of conditions', () => {
  it.each(table)('%s', (_, cause, conditions) => {
    const status = statusOf(cause, policy({ status: before }));
    expect(summed(status)).toBe(conditions);
    const summary = conditions.includes('+Ready') ? 'Current' : 'InProgress';
    expect(kstatus(status)).toBe(conditions.includes('+Stalled') ? 'Failed' : summary);
  });

  const lasting = table.filter(([, , conditions]) => !conditions.startsWith('AlertNotFound'));
  it.each(lasting)('%s: a day later the same outcome changes nothing', (_, cause) => {
    const first = statusOf(cause, policy({ status: before }));
    const again = cause.kind === 'listed' ? { ...cause, corrections: [] } : cause;
    expect(statusOf(again, policy({ status: first }), nowMs + 24 * 60 * minuteMs)).toEqual(first);
  });
});

describe('a policy that is suspended', () => {
  const statuses: readonly [string, RoleAlertPolicyStatus | undefined][] = [
    ['nothing', undefined],
    ['a scope that does not exist', statusOf(failed('scope-not-found'))],
    ['a write that is being verified', statusOf(written({}))],
  ];

  it.each(statuses)('after %s is ready, and stays so', (_, status) => {
    const object = policy({ ...(status && { status }), metadata: { generation: 2 } });
    const first = statusOf({ kind: 'suspended' }, object);
    expect(summed(first)).toBe('Suspended +Ready ?InSync');
    expect(first.observedGeneration).toBe(2);
    expect(statusOf({ kind: 'suspended' }, { ...object, status: first }, nowMs + minuteMs)).toEqual(first);
  });
});

it('a missing alert stalls the policy after an interval', () => {
  const missing = listed({ alerts: [] });
  const first = statusOf(missing, policy({ status: before }));
  const soon = statusOf(missing, policy({ status: first }), nowMs + 14 * minuteMs);
  expect([kstatus(first), kstatus(soon)]).toEqual(['InProgress', 'InProgress']);
  const late = statusOf(missing, policy({ status: soon }), nowMs + 16 * minuteMs);
  expect(kstatus(late)).toBe('Failed');
  expect(summed(late)).toContain('+Stalled');
  expect(kstatus(statusOf(listed({}), policy({ status: late })))).toBe('Current');
});

describe('an alert that the service does not list', () => {
  const messageOf = (status: RoleAlertPolicyStatus) => status.conditions?.find(({ type }) => type === 'Ready')?.message;

  it('and never listed may be misspelled', () => {
    const spec = { alerts: [{ name: 'TooManyOwner', state: 'Active' }] } as const;
    const others = ['TooManyOwners', 'TooManyReaders'].map((name) => alert({ name }));
    const status = statusOf(listed({ policies: [input({ spec })], alerts: others }), policy({ spec }));
    expect(messageOf(status)).toMatch(/^Alert TooManyOwner: not listed by [^.]*\. Check the spelling/);
    expect(status.alerts).toMatchObject([{ live: 'Missing' }]);
    expect(status.alerts?.[0]).not.toHaveProperty('missingSince');
  });

  it('but did before is gone: the message and its event have the time, and keep it', () => {
    const missing = listed({ alerts: [] });
    const first = statusOf(missing, policy({ status: before }));
    const late = statusOf(missing, policy({ status: first }), nowMs + 60 * minuteMs);
    const since = formatTimestamp(nowMs);
    const said = (name: string) =>
      `It listed ${name} before ${since}. Check with the owner of the service what became of it,`;
    for (const status of [first, late]) {
      expect(messageOf(status)).toContain(said(alertName));
      expect(status.alerts).toMatchObject([{ live: 'Missing', missingSince: since }]);
    }
    const events = statusEvents(statusInput(missing, { before }), before, first);
    expect(events).toMatchObject([{ reason: 'AlertNotFound', note: expect.stringContaining(said('the alert')) }]);
    const back = statusOf(listed({}), policy({ status: late }), nowMs + 61 * minuteMs);
    expect(back.alerts?.[0]).not.toHaveProperty('missingSince');
  });
});

describe('observedGeneration', () => {
  const edited = policy({ status: before, metadata: { generation: 2 } });
  it.each([
    ['moves when the spec was decided', listed({}), 2],
    ['moves when it is stalled', failed('scope-not-found'), 2],
    ['moves when the list failed', failed('service-unreachable'), 2],
    ['stays while throttled', failed('service-busy'), 1],
  ])('%s', (_, cause, expected) => {
    expect(statusOf(cause, edited).observedGeneration).toBe(expected);
  });
});

it('the conditions that a throttled reconcile leaves alone stay whole', () => {
  const stalled = statusOf(failed('scope-not-found'), policy({ status: before }));
  const later = statusOf(
    failed('service-busy'),
    policy({ status: stalled, metadata: { generation: 2 } }),
    nowMs + minuteMs,
  );
  const own = (status: RoleAlertPolicyStatus) => status.conditions?.filter(({ type }) => type !== 'ConnectionReady');
  expect(own(later)).toEqual(own(stalled));
  const retrying = statusOf(failed('service-unreachable'), policy({ status: before }));
  expect(own(statusOf(failed('service-busy'), policy({ status: retrying }), nowMs + minuteMs))).toEqual(own(retrying));
});

describe('a condition that was so only before the failed reconcile', () => {
  const suspended = statusOf({ kind: 'suspended' }, policy({ status: before }));
  const orphaned = statusOf({ kind: 'no-connection' }, policy({ status: before }));
  it.each<[string, RoleAlertPolicyStatus, StatusCause, string]>([
    ['a suspension that ended within a pause', suspended, failed('service-busy'), 'Throttled ?Ready'],
    [
      'a suspension that ended in an outage',
      suspended,
      failed('service-unreachable'),
      'ServiceUnreachable -Ready +Reconciling',
    ],
    [
      'a connection that appeared in an outage',
      orphaned,
      failed('service-unreachable'),
      'ServiceUnreachable -Ready +Reconciling',
    ],
  ])('does not outlive %s', (_, last, cause, expected) => {
    const first = statusOf(cause, policy({ status: last }));
    expect(summed(first)).toBe(expected);
    expect(kstatus(first)).toBe('InProgress');
    expect(statusOf(cause, policy({ status: first }), nowMs + minuteMs)).toEqual(first);
  });
});

it('a correction has the time of the list that showed it, in the row and in the history', () => {
  const correction = {
    alert: alertName,
    isActive: true,
    cause: 'Declared',
    policyKey: 'team/owners',
    actor: 'User',
    seenAtMs: nowMs - minuteMs,
  } as const;
  const status = statusOf(listed({}, [correction]));
  expect(status.alerts).toMatchObject([{ name: alertName, verifiedAt: '2026-06-01T11:59:00Z' }]);
  expect(status.history).toEqual([
    { at: '2026-06-01T11:59:00Z', alert: alertName, direction: 'Activated', reason: 'Drift', count: 1 },
  ]);
});

describe('the history', () => {
  /** `second`: when it was seen. */
  const on = (name: string, second = 0): Correction => ({
    alert: name,
    isActive: true,
    cause: 'Declared',
    policyKey: undefined,
    actor: 'User',
    seenAtMs: nowMs + second * 1000,
  });
  const dismissed = (name: string, second = 0): Correction => ({
    ...on(name, second),
    isActive: false,
    cause: 'DismissalHolds',
  });

  it('merges equal ones with a count, and not across what happened in between', () => {
    const twice = nextHistory(nextHistory([], [on('a')]), [on('a', 60)]);
    expect(twice).toMatchObject([{ alert: 'a', count: 2, at: '2026-06-01T12:01:00Z' }]);
    const between = nextHistory(nextHistory(twice, [dismissed('a', 61)]), [on('a', 62)]);
    expect(between.map(({ direction, count }) => `${direction} ${count}`)).toEqual([
      'Activated 1',
      'Deactivated 1',
      'Activated 2',
    ]);
  });

  it('reports each correction by its cause, and its count for each alert', () => {
    const because = (cause: Correction['cause']) => nextHistory([], [{ ...on('a'), cause }])[0]?.reason;
    expect(
      (['Declared', 'Unlisted', 'DismissalExpired', 'NewIncidents', 'DeclarationGone'] as const).map(because),
    ).toEqual(['Drift', 'Drift', 'DismissalExpired', 'NewIncidents', 'DeclarationGone']);
    expect(nextHistory([], [dismissed('a')])[0]?.reason).toBe('Dismissed');
    const history = nextHistory([], [on('a'), on('b'), on('a', 1), dismissed('b')]);
    expect(history.map(({ alert: name, reason, count }) => `${name} ${reason} ${count}`)).toEqual([
      'b Dismissed 1',
      'a Drift 2',
      'b Drift 1',
    ]);
  });

  it('keeps the eight newest', () => {
    const names = Array.from({ length: 10 }, (_, index) => `a${index}`);
    const history = names.reduce((sum, name) => nextHistory(sum, [on(name)]), [] as ReturnType<typeof nextHistory>);
    expect(history.map(({ alert: name }) => name)).toEqual(names.slice(2).reverse());
  });
});

it('stays below 64 KiB whatever the service calls its alerts, and keeps the totals', () => {
  const wide = (index: number) => `${'語'.repeat(250)}${String(index).padStart(3, '0')}`;
  const incidents = Array.from({ length: 50 }, (_, index) => ({ id: wide(index), type: wide(index) }));
  const alerts = Array.from({ length: 128 }, (_, index) =>
    alert({ name: wide(index), incidents, incidentCount: 1000 }),
  );
  const guard = input({
    spec: { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' }, incidents: { limit: 50 } },
  });
  const status = statusOf(listed({ policies: [guard], alerts }), guard.policy);
  expect(new TextEncoder().encode(JSON.stringify(status)).length).toBeLessThan(65_536);
  expect(status.summary).toMatchObject({ declared: 128, incidents: 128_000 });
  expect(status.alerts?.every((row) => row.incidents.total === 1000)).toBe(true);
});
