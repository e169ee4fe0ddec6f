// What a preview plans: scopes grouped as the controller groups them, and the memory that statuses hold.
import { describe, expect, test } from 'vitest';

import type { Alert } from '../../../../src/alerts/types.ts';
import type { DeclaredObjects } from '../../../../src/commands/preview/file-objects.ts';
import type { Listing } from '../../../../src/commands/preview/planned-scope.ts';
import { type PreviewFacts, ScopePlanner } from '../../../../src/commands/preview/scope-planner.ts';
import { longestEntryMs } from '../../../../src/operator/dismissals/deactivations.ts';
import {
  pendingConnectionStatus,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from '../../../../src/policy/resources.ts';
import {
  alert,
  alertName,
  at,
  clusterConnection,
  connection,
  inactive,
  intervalMs,
  ledgerEntry,
  namespace,
  nowMs,
  policy,
  throughCluster,
} from '../../../support/builders/objects.ts';

const objects = (change: Partial<DeclaredObjects>): DeclaredObjects => ({
  policies: [],
  connections: [connection()],
  namespaces: [],
  ...change,
});

const named = (name: string, status?: RoleAlertConnection['status']): RoleAlertConnection => {
  const base = connection();
  return { ...base, metadata: { ...base.metadata, name, uid: `uid-${name}` }, ...(status && { status }) };
};

const dismissing = (name: string, spec: Partial<RoleAlertPolicy['spec']> = {}) =>
  policy({ name, spec: { alerts: [inactive({})], ...spec } });

/** The actions of every scope, each as `CONNECTION SCOPE ALERT true|false`, when every list shows these alerts. */
function actionsOf(declared: DeclaredObjects, listing: Listing | ((connection: string) => Listing)): readonly string[] {
  return plansOf(declared, listing).flatMap(({ ref, planned }) =>
    (planned?.plan.actions ?? []).map((each) => `${ref.connection} ${ref.scope} ${each.alert} ${each.isActive}`),
  );
}

function plansOf(declared: DeclaredObjects, listing: Listing | ((connection: string) => Listing)) {
  const planner = plannerOf(declared);
  const of = typeof listing === 'function' ? listing : () => listing;
  return planner.plan(new Map(planner.due.map((scope) => [scope, of(scope.ref.connection)])));
}

const plannerOf = (declared: DeclaredObjects) => new ScopePlanner(declared, { nowMs, defaultIntervalMs: intervalMs });

/** The scopes that are planned, each as `CONNECTION SCOPE`, and how many are as before. */
function changedFrom(before: DeclaredObjects, after: DeclaredObjects, trust?: PreviewFacts['trust']) {
  const { due, unchanged } = new ScopePlanner(after, { nowMs, defaultIntervalMs: intervalMs, before, trust });
  return [due.map(({ ref }) => `${ref.connection} ${ref.scope}`), unchanged] as const;
}

const showing = (...alerts: readonly Alert[]): Listing => ({ alerts });

describe('the scopes of a preview', () => {
  test('are one for all policies of a connection whose scopes are the same', () => {
    const { scopes } = plannerOf(
      objects({
        policies: [
          policy({ name: 'one' }),
          policy({ name: 'two', spec: { scope: 'Subscriptions/A' } }),
          policy({ name: 'far', spec: { scope: 'subscriptions/b' } }),
        ],
      }),
    );
    expect(scopes.map(({ ref, policies }) => [ref.scope, policies.map(({ key }) => key)])).toEqual([
      ['subscriptions/a', ['team/one', 'team/two']],
      ['subscriptions/b', ['team/far']],
    ]);
  });

  test('are not listed for suspended policies alone', () => {
    expect(plannerOf(objects({ policies: [policy({ spec: { suspend: true } })] })).due).toEqual([]);
  });
});

/** Deactivations of another alert. */
const sentAt = (...offsets: readonly number[]) =>
  offsets.map((ms) => ({ at: at(ms), namespace: 'team', scope: 'subscriptions/z', alert: 'Other' }));

describe('the plans of a preview', () => {
  test('deactivate an alert that a policy of another connection declares Active', () => {
    const theirs = policy({ name: 'theirs', spec: { connectionRef: { kind: 'RoleAlertConnection', name: 'other' } } });
    const declared = objects({ connections: [connection(), named('other')], policies: [dismissing('ours'), theirs] });
    expect(actionsOf(declared, showing(alert()))).toEqual([`team/prod subscriptions/a ${alertName} false`]);
  });

  test('allow the next deactivation an hour after the oldest one, or after the first of this plan', () => {
    const limits = { ...connection().spec.limits, deactivationsPerHour: 1 };
    const policies = ['a', 'b'].map((scope) => dismissing(scope, { scope: `subscriptions/${scope}` }));
    const nextOf = (recentDeactivations: ReturnType<typeof sentAt>) => {
      const status = { ...pendingConnectionStatus, recentDeactivations };
      const prod = { ...named('prod', status), spec: connection({ limits }).spec };
      const plans = plansOf(objects({ connections: [prod], policies }), showing(alert()));
      return plans.map(({ planned }) => planned?.input.nextDeactivationMs);
    };
    // As late after its record as it may have been sent.
    const oldestEndMs = nowMs + 2_400_000 + longestEntryMs;
    expect(nextOf(sentAt(-600_000, -1_200_000))).toEqual([oldestEndMs, oldestEndMs]);
    expect(nextOf([])).toEqual([undefined, nowMs + 3_600_000]);
  });

  test('use up the room of the ledger from scope to scope, except for alerts that it has', () => {
    const others = Array.from({ length: 498 }, (_, index) => ({
      ...ledgerEntry(),
      scope: `subscriptions/old${index}`,
    }));
    const own = { ...ledgerEntry(), scope: 'subscriptions/a' };
    const status = { ...pendingConnectionStatus, dismissals: [...others, own] };
    const limits = { ...connection().spec.limits, deactivationsPerHour: 100 };
    const prod = { ...named('prod', status), spec: connection({ limits }).spec };
    const policies = ['a', 'b', 'c'].map((scope) => dismissing(scope, { scope: `subscriptions/${scope}` }));
    const plans = plansOf(objects({ connections: [prod], policies }), showing(alert()));
    expect(plans.slice(0, 3).map(({ planned }) => planned?.input.ledgerRoom)).toEqual([1, 1, 0]);
    expect(plans[2]?.planned?.plan.policies[0]?.alerts[0]?.reason).toBe('LedgerFull');
  });
});

describe('after a change', () => {
  const at = (scope: string, spec: Partial<RoleAlertPolicy['spec']> = {}) =>
    policy({ name: scope, spec: { scope: `subscriptions/${scope}`, ...spec } });
  const before = objects({ policies: [at('a'), at('b'), at('c')] });

  test('only its scopes are planned: of a new, a changed and a removed policy', () => {
    const policies = [at('a'), at('b', { alerts: [inactive({})] }), at('d'), policy({ name: 'a2' })];
    expect(changedFrom(before, { ...before, policies })).toEqual([
      ['team/prod subscriptions/a', 'team/prod subscriptions/b', 'team/prod subscriptions/d'],
      0,
    ]);
    expect(changedFrom(before, before)).toEqual([[], 3]);
  });

  test('of a connection all its scopes are planned', () => {
    const connections = [connection({ deactivation: 'Deny' }), named('other')];
    const policies = [...before.policies, at('z', { connectionRef: { kind: 'RoleAlertConnection', name: 'other' } })];
    const both = { ...before, policies, connections: [connection(), named('other')] };
    const [changed, unchanged] = changedFrom(both, { ...both, connections });
    expect([changed.length, unchanged]).toEqual([3, 1]);
  });

  test('of the Secret or the CA bundle of a connection all its scopes are planned', () => {
    const endpoint = {
      ...connection().spec.endpoint,
      caBundleRef: { kind: 'ConfigMap', name: 'ca', key: 'ca.crt' } as const,
    };
    const secret = connection().spec.auth.tokenSecretRef?.name;
    const declared = objects({
      connections: [connection({ endpoint }), clusterConnection({ endpoint })],
      policies: [at('a'), at('b', { connectionRef: throughCluster })],
      namespaces: [namespace()],
    });
    const changedWith = (secrets: readonly string[], configMaps: readonly string[]) => {
      const given = (names: readonly string[]) => new Map(names.map((name) => [name, {}]));
      const trust = { secrets: given(secrets), configMaps: given(configMaps), clusterNamespace: 'system' };
      return changedFrom(declared, declared, trust);
    };
    const [own, ofCluster] = ['team/prod subscriptions/a', '/prod subscriptions/b'];
    expect(changedWith([`team/${secret}`], [])).toEqual([[own], 1]);
    expect(changedWith([], ['team/ca'])).toEqual([[own], 1]);
    expect(changedWith([], ['system/ca'])).toEqual([[ofCluster], 1]);
    expect(changedWith([`system/${secret}`, 'team/other'], ['system/ca', 'team/ca'])).toEqual([[own, ofCluster], 0]);
    expect(changedWith(['team/other'], ['other/ca'])).toEqual([[], 2]);
  });

  test('of the labels of a namespace the scopes that they grant or refuse are planned', () => {
    const through = objects({
      connections: [connection(), clusterConnection()],
      policies: [at('a'), at('b', { connectionRef: throughCluster })],
      namespaces: [namespace({ team: 'z' })],
    });
    expect(changedFrom(through, { ...through, namespaces: [namespace()] })).toEqual([['/prod subscriptions/b'], 1]);
    expect(changedFrom(through, { ...through, namespaces: [namespace({ team: 'z', new: 'label' })] })).toEqual([[], 2]);
  });

  test('a new label that decides nothing, and a status, change no scope', () => {
    const connections = [{ ...connection(), status: { ...pendingConnectionStatus, observedGeneration: 1 } }];
    const policies = before.policies.map((each) => ({ ...each, metadata: { ...each.metadata, labels: { a: 'b' } } }));
    expect(changedFrom(before, { ...before, policies, connections })).toEqual([[], 3]);
  });
});
