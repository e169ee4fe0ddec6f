// The next status of a connection.
import { describe, expect, it } from 'vitest';

import { factsOfConnection } from '../../../../src/operator/reasons/message-facts.ts';
import { conditionMessage } from '../../../../src/operator/reasons/reasons.ts';
import {
  type ConnectionFacts,
  ledgerLimit,
  nextConnectionStatus,
} from '../../../../src/operator/report/connection-status.ts';
import { pendingConnectionStatus } from '../../../../src/policy/resources.ts';
import { clusterNamespace, connection, ledgerEntry, nowMs } from '../../../support/builders/objects.ts';
import { crdSchema } from '../../../support/checks/crd-schema.ts';

const facts: ConnectionFacts = {
  health: 'Connected',
  triedGeneration: 3,
  policies: 4,
  scopes: 2,
  namespaces: 0,
  clusterNamespace,
  loads: [{ intervalMs: 400_000, requests: 1 }],
  isFirstRound: false,
  dismissals: [],
  recentDeactivations: [],
};
const ready = (status: 'True' | 'False', reason: 'Connected' | 'Unauthorized', generation: number) => ({
  type: 'Ready',
  status,
  observedGeneration: generation,
  lastTransitionTime: '2026-06-01T12:00:00Z',
  reason,
  message: conditionMessage(reason, factsOfConnection(connection(), clusterNamespace)),
});
const capacity = (generation = 1) => ({
  type: 'Capacity',
  status: 'True',
  observedGeneration: generation,
  lastTransitionTime: '2026-06-01T12:00:00Z',
  reason: 'BudgetSufficient',
  message: conditionMessage('BudgetSufficient', { needed: 9, allowed: 3600 }),
});
const next = (change: Partial<ConnectionFacts> = {}, before = connection()) =>
  nextConnectionStatus(before, { ...facts, ...change }, nowMs);

describe('the status of a connection', () => {
  it('says how it is since which generation, and what it carries', () => {
    expect(next()).toEqual({
      observedGeneration: 3,
      conditions: [ready('True', 'Connected', 3), capacity()],
      policies: 4,
      scopes: 2,
      predictedRequestsPerHour: 9,
      recentDeactivations: [],
      dismissalCount: 0,
    });
    expect(next({ health: 'Unauthorized' }).conditions).toEqual([ready('False', 'Unauthorized', 3), capacity()]);
  });

  it('stays as it was until the first response after a start', () => {
    const before = { ...connection(), status: next({ health: 'Unauthorized', triedGeneration: 2 }) };
    const untried = next({ health: undefined, triedGeneration: undefined }, before);
    expect(untried).toMatchObject({
      observedGeneration: 2,
      conditions: [ready('False', 'Unauthorized', 2), capacity()],
    });
    const { status: _, ...never } = connection();
    expect(next({ health: undefined, triedGeneration: undefined }, never)).toMatchObject({
      observedGeneration: -1,
      conditions: pendingConnectionStatus.conditions,
    });
  });

  it('compares the rate limit with the policies of now, whatever generation was tried', () => {
    const edited = { ...connection(), metadata: { ...connection().metadata, generation: 4 } };
    const limits = { ...edited.spec.limits, requestsPerHour: 8 };
    const status = next({}, { ...edited, spec: { ...edited.spec, limits } });
    expect(status.conditions?.[0]).toMatchObject({ type: 'Ready', observedGeneration: 3 });
    expect(status.conditions?.[1]).toMatchObject({
      type: 'Capacity',
      status: 'False',
      reason: 'BudgetTooSmall',
      observedGeneration: 4,
    });
  });

  it('keeps what it says of the rate limit until a first round can say less', () => {
    const loads = [{ intervalMs: 1000, requests: 2 }];
    const before = { ...connection(), status: next({ loads }) };
    expect(before.status.conditions?.[1]).toMatchObject({ status: 'False', reason: 'BudgetTooSmall' });
    const one = [{ intervalMs: 1000, requests: 1 }];
    expect(next({ loads: one, isFirstRound: true }, before)).toEqual(before.status);
    expect(next({ loads: one }, before)).toMatchObject({ predictedRequestsPerHour: 3600 });
    const three = [{ intervalMs: 1000, requests: 3 }];
    expect(next({ loads: three, isFirstRound: true }, before)).toMatchObject({ predictedRequestsPerHour: 10_800 });
  });

  it('registers the dismissals by their end, those without an end last, and counts them', () => {
    const entry = (alert: string, until?: string) => ({
      ...ledgerEntry({ alert }),
      ...(until !== undefined && { until }),
    });
    const dismissals = [entry('A'), entry('B', '2027-01-01T00:00:00Z'), entry('C', '2026-12-31T23:59:59Z')];
    const status = next({ dismissals });
    expect(status.dismissals?.map(({ alert }) => alert)).toEqual(['C', 'B', 'A']);
    expect([status.dismissalCount, next().dismissalCount]).toEqual([3, 0]);
  });
});

it('has as many dismissals as the schema takes', async () => {
  const { status } = await crdSchema('rolealertconnections');
  expect(status.properties?.['dismissals']?.maxItems).toBe(ledgerLimit);
});
