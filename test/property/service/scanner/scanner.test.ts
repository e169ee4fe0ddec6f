// What holds for every set of assignments, in every order, however often it is scanned.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import { ownTurns } from '../../../../src/service/database/scan-turns.ts';
import type { Assignment, Role, ScopeFacts } from '../../../../src/service/scanner/assignments.ts';
import { decodeClusterFacts } from '../../../../src/service/scanner/cluster-facts.ts';
import { evaluate } from '../../../../src/service/scanner/evaluate.ts';
import { alertKinds, type Thresholds } from '../../../../src/service/scanner/kinds.ts';
import { permissionsOf } from '../../../../src/service/scanner/role-rules.ts';
import { decodeScannerConfiguration, type ClusterSourceOptions } from '../../../../src/service/scanner/scanner-file.ts';
import { createScanner } from '../../../../src/service/scanner/scanner.ts';
import { HandSource } from '../../../support/builders/assignments.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const few = (...texts: string[]) => fc.constantFrom(...texts);
const assignments: fc.Arbitrary<Assignment[]> = fc.uniqueArray(
  fc.record(
    {
      id: fc.string({ maxLength: 4 }),
      role: fc.record({ id: few('r1', 'r2'), name: few('Owner', 'Reader') }),
      assignee: fc.record({ id: few('a', 'b', 'c', 'd'), type: few('User', 'Group'), name: few('A', 'B', 'b') }),
      isOwner: fc.boolean(),
      isOutside: fc.boolean(),
      endsAtMs: fc.integer({ min: 0, max: 4e12 }),
    },
    { requiredKeys: ['id', 'role', 'assignee', 'isOwner', 'isOutside'] },
  ),
  { selector: ({ id }) => id, maxLength: 12 },
);
const roles: fc.Arbitrary<Role[]> = fc.uniqueArray(
  fc.record(
    {
      id: fc.string({ maxLength: 3 }),
      name: few('x', 'y', 'z'),
      permissions: fc.subarray(['get', 'list', 'watch']),
      createdAtMs: fc.nat(3),
    },
    { requiredKeys: ['id', 'name', 'permissions'] },
  ),
  { selector: ({ id }) => id, maxLength: 8 },
);
const thresholds: fc.Arbitrary<Thresholds> = fc.record({
  thresholdNumberOfPermanentOwners: fc.nat(4),
  thresholdPercentageOfPermanentOwnersOutOfAllOwners: fc.nat(100),
  thresholdNumberOfOwners: fc.nat(4),
  thresholdPercentageOfOwnersOutOfAllRoleMembers: fc.nat(100),
});
const facts = fc.record({ assignments, roles });
const nowMs = Date.UTC(2026, 0, 1);

test('the order of assignments and roles does not matter', () => {
  const shuffled = facts.chain(({ assignments, roles }) =>
    fc.record({
      given: fc.constant({ scope: 's', assignments, roles }),
      turned: fc.record({
        scope: fc.constant('s'),
        assignments: fc.shuffledSubarray(assignments, { minLength: assignments.length }),
        roles: fc.shuffledSubarray(roles, { minLength: roles.length }),
      }),
    }),
  );
  fc.assert(
    fc.property(shuffled, thresholds, ({ given, turned }, limits) => {
      expect(evaluate(turned, limits, nowMs)).toEqual(evaluate(given, limits, nowMs));
    }),
  );
});

test('no two findings of a kind are about the same, and permanent owners are owners', () => {
  fc.assert(
    fc.property(facts, thresholds, (given, limits) => {
      const found = evaluate({ scope: 's', ...given }, limits, nowMs);
      for (const kind of alertKinds) {
        expect(new Set(found[kind].map(({ about }) => about)).size).toBe(found[kind].length);
      }
      const anyOwner = { thresholdNumberOfOwners: 0, thresholdPercentageOfOwnersOutOfAllRoleMembers: 0 };
      const { TooManyOwnersAssignedToResource: owners } = evaluate(
        { scope: 's', ...given },
        { ...limits, ...anyOwner },
        nowMs,
      );
      const known = new Set(owners.map(({ about }) => about));
      const permanent = found.TooManyPermanentOwnersAssignedToResource.map(({ about }) => about);
      expect(permanent.filter((about) => !known.has(about))).toEqual([]);
    }),
  );
});

test('scanning again changes nothing but lastScannedDateTime', async () => {
  const scopes: fc.Arbitrary<ScopeFacts[]> = fc
    .array(facts, { minLength: 1, maxLength: 3 })
    .map((all) => all.map((each, index) => ({ scope: `s/${index}`, ...each })));
  await fc.assert(
    fc.asyncProperty(scopes, thresholds, async (found, limits) => {
      const database = openDatabase(undefined);
      const { alerts: store, sql } = database;
      const clock = new ManualClock(nowMs);
      const scanner = createScanner({
        isAudited: false,
        source: new HandSource(found),
        thresholds: limits,
        store,
        sql,
        scanTurns: ownTurns,
        providerNamespace: 'N',
        clock,
        log: silentLogger,
        intervalMs: 60_000,
      });
      const texts = () =>
        Promise.all(
          found.flatMap(({ scope }) =>
            alertKinds.map(async (kind) => (await store.readAlert(scope, kind)) ?? 'missing'),
          ),
        );
      await scanner.scanNow();
      const before = await texts();
      clock.jump(1000);
      expect(await scanner.scanNow()).toMatchObject({ raised: 0, cleared: 0, refreshed: 4 * found.length });
      const [first, second] = [nowMs, nowMs + 1000].map((timeMs) => new Date(timeMs).toISOString());
      const scannedAgain = before.map((text) =>
        text.replace(`"lastScannedDateTime":"${first}"`, `"lastScannedDateTime":"${second}"`),
      );
      expect(await texts()).toEqual(scannedAgain);
      await database.close();
    }),
    { numRuns: 30 },
  );
});

test('whatever a cluster answers, something is made of it', () => {
  const { source } = decodeScannerConfiguration({ source: { cluster: { name: 'c', insideSelector: 'a=b' } } }, 'f');
  const member = (names: string[], value: fc.Arbitrary<unknown>) =>
    fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.jsonValue({ maxDepth: 2 })), { noNullPrototype: true });
  const metadata = member(
    ['name', 'namespace', 'uid', 'labels', 'annotations', 'creationTimestamp', 'managedFields'],
    fc.oneof(fc.string(), fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true })),
  );
  const subject = member(['kind', 'name', 'namespace'], few('User', 'Group', 'ServiceAccount', '__proto__'));
  const rule = member(
    ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'],
    fc.array(few('*', 'get', 'pods'), { maxLength: 3 }),
  );
  const object = fc.record(
    {
      metadata,
      roleRef: member(['kind', 'name'], few('Role', 'ClusterRole', 'admin')),
      subjects: fc.array(subject, { maxLength: 3 }),
      rules: fc.array(rule, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  );
  const objects = fc.array(object, { maxLength: 4 });
  const lists = fc.record({
    clusterRoles: objects,
    roles: objects,
    clusterRoleBindings: objects,
    roleBindings: objects,
  });
  fc.assert(
    fc.property(lists, thresholds, (lists, limits) => {
      const found = decodeClusterFacts(lists, source as ClusterSourceOptions);
      expect(found[0]?.scope).toBe('clusters/c');
      for (const each of found) evaluate(each, limits, nowMs);
    }),
  );
});

test('permissions of rules do not depend on their order or on what is said twice', () => {
  const texts = fc.subarray(['*', 'a', 'b'], { minLength: 1 });
  const rule = fc.record(
    {
      verbs: texts,
      apiGroups: texts,
      resources: texts,
      resourceNames: fc.subarray(['x', 'y']),
      nonResourceURLs: texts,
    },
    { requiredKeys: ['verbs'] },
  );
  const rules = fc.array(rule, { maxLength: 4 });
  fc.assert(
    fc.property(
      rules.chain((given) => fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length }))),
      ([given, turned]) => {
        expect(permissionsOf([...turned, ...given])).toEqual(permissionsOf(given));
      },
    ),
  );
});
