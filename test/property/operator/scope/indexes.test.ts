// The kept counts and indexes of the controller answer as a walk over everything would, after every sequence of changes.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { Ledger } from '../../../../src/operator/dismissals/ledger.ts';
import { PolicyIndex } from '../../../../src/operator/queue/policy-index.ts';
import { Demand, type Load, type ScopeLoad } from '../../../../src/operator/report/capacity.ts';
import { type ScopeRef } from '../../../../src/policy/scope-ref.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const keys = ['a/one', 'a/two', 'b/one', 'b/two'] as const;
const connections = ['a/prod', 'b/prod', 'c/prod'] as const;
const scopes = ['s', 't', 'u'] as const;
const refs = fc.record({ connection: fc.constantFrom(...connections), scope: fc.constantFrom(...scopes) });

const changes = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('set policy'), key: fc.constantFrom(...keys), ref: refs }),
    fc.record({ kind: fc.constant('remove policy'), key: fc.constantFrom(...keys) }),
  ),
  { maxLength: 40, size: 'max' },
);

test('the index of policies answers as a walk over all policies', () => {
  fc.assert(
    fc.property(changes, (steps) => {
      const index = new PolicyIndex();
      const policies = new Map<string, ScopeRef>();
      for (const step of steps) {
        if ('ref' in step) {
          index.setPolicy(step.key, step.ref);
          policies.set(step.key, step.ref);
        } else {
          index.removePolicy(step.key);
          policies.delete(step.key);
        }
      }
      for (const key of connections) {
        const own = [...policies.values()].filter((ref) => ref.connection === key);
        expect(index.policyCount(key)).toBe(own.length);
        expect(index.scopeCount(key)).toBe(new Set(own.map(({ scope }) => scope)).size);
        for (const scope of scopes) {
          const there = [...policies].filter(([, ref]) => ref.connection === key && ref.scope === scope);
          expect(new Set(index.policiesAt({ connection: key, scope }))).toEqual(
            new Set(there.map(([policy]) => policy)),
          );
        }
      }
    }),
  );
});

const demandSteps = fc.array(
  fc.oneof(
    fc.record({
      scope: fc.constantFrom(...scopes),
      intervalMs: fc.constantFrom(7, 60),
      requests: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record({ factor: fc.integer({ min: 0, max: 3 }) }),
    fc.constant('ask' as const),
  ),
  { maxLength: 40, size: 'max' },
);

test('the demand of a connection is the sum over its scopes', () => {
  fc.assert(
    fc.property(demandSteps, (steps) => {
      const all = new Map<string, Load>();
      // Each spec of the connection multiplies what every scope needs; without a connection, nothing is needed.
      let factor = 0;
      const loadOf = (scope: string): ScopeLoad | undefined => {
        const { intervalMs, requests } = all.get(scope) ?? { intervalMs: 0, requests: 0 };
        return requests * factor === 0 ? undefined : { intervalMs, requests: requests * factor, namespace: 'team' };
      };
      const demand = new Demand(() => all.keys(), loadOf);
      for (const step of steps) {
        if (step === 'ask') demand.loads();
        else if ('scope' in step) {
          all.set(step.scope, step);
          demand.invalidate(step.scope);
        } else {
          ({ factor } = step);
          demand.invalidateAll();
        }
      }
      const loads = [...all.keys()].flatMap((scope) => loadOf(scope) ?? []);
      const sumsOf = (intervalMs: number) =>
        loads.filter((load) => load.intervalMs === intervalMs).reduce((sum, { requests }) => sum + requests, 0);
      const expected = [7, 60].map((intervalMs) => ({ intervalMs, requests: sumsOf(intervalMs) }));
      expect(demand.loads()).toEqual(expected.filter(({ requests }) => requests > 0));
    }),
  );
});

const alerts = ['A', 'B'] as const;
const noNews = { resolvedDismissals: [], missing: [], declared: new Map() };
const ledgerSteps = fc.array(
  fc.record({
    scope: fc.constantFrom(...scopes),
    alert: fc.constantFrom(...alerts),
    act: fc.constantFrom('record', 'record and restore', 'resolve', 'keep', 'wait', 'load'),
  }),
  { maxLength: 40, size: 'max' },
);

test('the entries of a scope are those of the whole ledger with that scope, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(ledgerSteps, async (steps) => {
      const clock = new ManualClock();
      const ledger = new Ledger(clock);
      for (const { scope, alert, act } of steps) {
        const own = ledger.recordsOf(scope);
        if (act === 'record') ledger.recordDismissal({ scope, alert, policy: 'team/p' });
        if (act === 'record and restore') ledger.recordDismissal({ scope, alert, policy: 'team/p' })();
        if (act === 'resolve') ledger.update(scope, { ...noNews, resolvedDismissals: own.slice(0, 1) });
        if (act === 'keep') ledger.update(scope, noNews);
        if (act === 'load') ledger.load(ledger.records().slice(1));
        if (act === 'wait') await clock.advance(60_000);
        const records = ledger.records();
        expect(ledger.bytes).toBe(records.reduce((sum, record) => sum + JSON.stringify(record).length + 1, 0));
        for (const each of scopes) {
          expect(ledger.recordsOf(each)).toEqual(records.filter((record) => record.scope === each));
        }
      }
    }),
  );
});
