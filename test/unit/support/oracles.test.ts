// The oracles of the operator's tests must be able to fail: each sees an invalid and a valid case.
import { describe, expect, test } from 'vitest';

import { canariesIn, canaryToken, incident } from '../../support/checks/canaries.ts';
import { kstatusOf } from '../../support/checks/kstatus.ts';
import { decisionViolations, type Recorded, structuralViolations } from '../../support/checks/status-recorder.ts';
import type { ListedAlerts } from '../../support/servers/service-proxy.ts';

const condition = (type: string, status = 'True', reason = 'Succeeded') => ({
  type,
  status,
  reason,
  message: '',
  observedGeneration: 2,
});
const object = (status: object, metadata: object = {}) =>
  ({
    kind: 'RoleAlertPolicy',
    metadata: { name: 'p', generation: 2, ...metadata },
    spec,
    status,
  }) as unknown as Recorded;
const spec = { scope: 's', suspend: false, alerts: [{ name: 'A', state: 'Active' }], unlisted: { state: 'Ignore' } };
const decided = (...conditions: object[]) => object({ observedGeneration: 2, conditions });

test.each([
  ['nothing was written yet', object({ observedGeneration: -1 }), 'InProgress'],
  ['an older spec was decided', object({ observedGeneration: 1, conditions: [condition('Ready')] }), 'InProgress'],
  ['Ready is True', decided(condition('Ready')), 'Current'],
  ['Ready is False', decided(condition('Ready', 'False')), 'InProgress'],
  ['Ready is Unknown', decided(condition('Ready', 'Unknown')), 'InProgress'],
  ['Reconciling is True', decided(condition('Ready'), condition('Reconciling')), 'InProgress'],
  ['Stalled is True', decided(condition('Ready', 'False'), condition('Stalled')), 'Failed'],
  ['Stalled is False', decided(condition('Ready'), condition('Stalled', 'False')), 'Current'],
  ['there is no condition at all', decided(), 'Current'],
  ['it is being deleted', object({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), 'Terminating'],
] as const)('kstatus when %s', (_, seen, expected) => {
  expect(kstatusOf(seen)).toBe(expected);
});

test.each([
  ['nothing is wrong', decided(condition('Ready')), 0],
  ['it is not decided yet', object({ observedGeneration: -1 }), 0],
  ['it is wiped, its default too', object({}), 2],
  ['Reconciling is False', decided(condition('Ready'), condition('Reconciling', 'False')), 1],
  ['Reconciling and Stalled stand together', decided(condition('Reconciling'), condition('Stalled')), 1],
  ['it is ahead of the spec', object({ observedGeneration: 3, conditions: [condition('Ready', 'False')] }), 1],
  ['it is 64 KiB', object({ observedGeneration: 1, padding: 'x'.repeat(65_536) }), 1],
] as const)('the form of a status when %s', (_, seen, expected) => {
  expect(structuralViolations(seen)).toHaveLength(expected);
});

describe('what a status claims', () => {
  const listed = (isActive: boolean, incidents: readonly string[] = []): ListedAlerts =>
    new Map([['a', { isActive, severity: 'High', incidentCount: incidents.length, incidents }]]);
  const current = (reason: string, change: object = {}) => ({
    ...decided(condition('Ready', 'True', reason)),
    spec: { ...spec, ...change } as unknown as Recorded['spec'],
  });
  const off = (bound: object) => ({ alerts: [{ name: 'A', state: 'Inactive', dismissal: bound }] });
  const guard = { alerts: [], unlisted: { state: 'Active', minSeverity: 'Medium' } };

  test.each([
    ['succeeded, and the list agrees', current('Succeeded'), [listed(true)], 0],
    ['succeeded, and the list before the last agrees', current('Succeeded'), [listed(true), listed(false)], 0],
    ['succeeded, and no list agrees', current('Succeeded'), [listed(false)], 1],
    ['succeeded without a list', current('Succeeded'), [], 1],
    ['dismissed within its bound', current('Succeeded', off({ maxIncidents: 1 })), [listed(false, ['1'])], 0],
    ['dismissed beyond its number', current('Succeeded', off({ maxIncidents: 1 })), [listed(false, ['1', '2'])], 1],
    ['dismissed beyond its names', current('Succeeded', off({ incidents: ['1'] })), [listed(false, ['2'])], 1],
    ['dismissed beyond its time', current('Succeeded', off({ until: '2020-01-01T00:00:00Z' })), [listed(false)], 1],
    ['active although dismissed', current('Succeeded', off({ maxIncidents: 1 })), [listed(true)], 1],
    ['guarded', current('Succeeded', guard), [listed(true)], 0],
    ['not guarded', current('Succeeded', guard), [listed(false)], 1],
    ['observed after a list', current('Observed'), [listed(false)], 0],
    ['observed without a list', current('Observed'), [], 1],
    ['suspended', current('Suspended', { suspend: true }), [], 0],
    ['suspended although it is not', current('Suspended'), [], 1],
    ['Current for an unknown reason', current('Whatever'), [listed(true)], 1],
  ] as const)('when it says %s', (_, policy, lists, expected) => {
    expect(decisionViolations(policy, lists)).toHaveLength(expected);
  });
});

describe('canaries', () => {
  test.each([
    ['a log line of ours', '{"msg":"reconcile failed","code":"service-unreachable"}', 0],
    ['a token', `Bearer ${canaryToken}`, 1],
    ['a token in base64', Buffer.from(canaryToken).toString('base64'), 1],
    ['a person in capitals', 'CANARY PERSON', 1],
  ])('%s', (_, text, expected) => {
    expect(canariesIn(text)).toHaveLength(expected);
  });

  test('an incident is full of them', () => {
    expect(canariesIn(JSON.stringify(incident('6f1c'))).length).toBeGreaterThanOrEqual(3);
  });
});
