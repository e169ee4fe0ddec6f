// The report of a replay.
import { describe, expect, it } from 'vitest';

import { replayText } from '../../../../src/commands/preview/replay-text.ts';
import { Replay } from '../../../../src/commands/preview/replay.ts';
import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import { planFacts, type PlanRecord } from '../../../../src/operator/report/plan-facts.ts';
import {
  alert,
  alertName,
  firing,
  inactive,
  input,
  minuteMs,
  nowMs,
  planInput,
} from '../../../support/builders/objects.ts';

/** As this version records it; `change` is what another version decided. */
function recordOf(given: PlanInput, change: Partial<PlanRecord> = {}): PlanRecord {
  return {
    program: '0.1.0',
    connection: 'team/prod',
    scope: 'subscriptions/a',
    input: given,
    facts: planFacts(plan(given)),
    ...change,
  };
}

const dismissing = planInput({
  policies: [input({ spec: { alerts: [inactive({ incidents: ['a'] })] } })],
  alerts: [firing(['a'])],
});
const later = { ...dismissing, nowMs: nowMs + minuteMs };

/** A version that held the deactivation. */
const held = [
  { kind: 'Decision', policy: 'team/owners', alert: alertName, value: 'Held (ObserveOnly); wants Inactive' },
] as const;

function reportOf(...records: readonly PlanRecord[]) {
  const replay = new Replay();
  for (const record of records) replay.add(record);
  return replay.report('0.2.0');
}

describe('a report', () => {
  it('of the same decisions has no difference', () => {
    const report = reportOf(recordOf(dismissing), recordOf(planInput({ alerts: [alert()] })));
    expect(replayText(report)).toBe(
      'Replayed 2 plans of version 0.1.0, from 2026-06-01T12:00:00Z to 2026-06-01T12:00:00Z, with version 0.2.0: no difference.\n',
    );
  });

  it('sets new deactivations apart and counts a repeated difference once', () => {
    const report = reportOf(recordOf(dismissing, { facts: held }), recordOf(later, { facts: held }));
    expect(replayText(report)).toBe(
      `NEW DEACTIVATIONS, which only this version sends (1)
  policy team/owners, subscriptions/a, ${alertName}: nothing → deactivate: DismissalHolds, Unknown (2 plans, from 2026-06-01T12:00:00Z to 2026-06-01T12:01:00Z)

Decisions on alerts (1)
  policy team/owners, subscriptions/a, ${alertName}: Held (ObserveOnly); wants Inactive → Drifted; wants Inactive (DismissalHolds) (2 plans, from 2026-06-01T12:00:00Z to 2026-06-01T12:01:00Z)

Times of the next change (2); --output json lists them

Replayed 2 plans of version 0.1.0, from 2026-06-01T12:00:00Z to 2026-06-01T12:01:00Z, with version 0.2.0: 4 differences in 2 plans.
`,
    );
  });

  it('shows a deactivation that this version no longer sends, without calling it new', () => {
    const facts = [
      ...planFacts(plan(planInput({ policies: [] }))),
      { kind: 'Action', alert: 'A', value: 'deactivate: Declared, User' },
    ] as const;
    const text = replayText(reportOf(recordOf(planInput({ policies: [] }), { facts })));
    expect(text).toContain(
      'PATCHes (1)\n  connection team/prod, subscriptions/a, A: deactivate: Declared, User → nothing (1 plan, at ',
    );
    expect(text).not.toContain('NEW');
  });

  it('names the records that it could not read, and counts the others', () => {
    const replay = new Replay();
    for (let line = 1; line <= 30; line++)
      replay.addUnreadable(`plans/x.jsonl:${line}: it is \u001b[31mnot a JSON object`);
    const text = replayText(replay.report('0.2.0'));
    expect(text).toContain('Records that cannot be read (30)\n  plans/x.jsonl:1: it is not a JSON object\n');
    expect(text).not.toContain('plans/x.jsonl:21:');
    expect(text).toContain('Replayed 0 plans, with version 0.2.0: no difference. 30 records could not be read.\n');
  });

  it('as JSON has a version and a member for each fact', () => {
    expect(reportOf(recordOf(dismissing, { facts: held }))).toEqual({
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'ReplayReport',
      recordedBy: ['0.1.0'],
      replayedBy: '0.2.0',
      first: '2026-06-01T12:00:00Z',
      last: '2026-06-01T12:00:00Z',
      totals: { plans: 1, differingPlans: 1, differences: 3, newDeactivations: 1, unreadableRecords: 0 },
      differences: [
        expect.objectContaining({ kind: 'Action', policy: 'team/owners', before: undefined, plans: 1 }),
        {
          kind: 'Decision',
          connection: 'team/prod',
          scope: 'subscriptions/a',
          policy: 'team/owners',
          alert: alertName,
          before: 'Held (ObserveOnly); wants Inactive',
          now: 'Drifted; wants Inactive (DismissalHolds)',
          plans: 1,
          first: '2026-06-01T12:00:00Z',
          last: '2026-06-01T12:00:00Z',
        },
        expect.objectContaining({ kind: 'NextChange', now: '2026-06-01T12:00:01.000Z' }),
      ],
      unreadable: [],
    });
  });
});
