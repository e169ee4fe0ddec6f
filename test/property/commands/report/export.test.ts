// Whatever a service lists: the exported policies are valid once their reasons are filled in, and the operator changes nothing.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { canonicalName } from '../../../../src/alerts/resource-id.ts';
import type { Alert } from '../../../../src/alerts/types.ts';
import { storedPolicy } from '../../../../src/commands/manifests/as-stored.ts';
import { checkFiles } from '../../../../src/commands/manifests/check-files.ts';
import { exportScope, type ExportOptions } from '../../../../src/commands/preview/export-policy.ts';
import { exportYaml } from '../../../../src/commands/preview/export-text.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import { allowed, alert, connection, input, nowMs, planInput } from '../../../support/builders/objects.ts';

const hourMs = 3_600_000;

const anyName = fc.oneof(
  { weight: 9, arbitrary: fc.stringMatching(/^[A-Za-z0-9._()~-]{1,12}$/) },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 5 }) },
);
const anyId = fc.oneof(
  { weight: 9, arbitrary: fc.stringMatching(/^[A-F0-9a-f]{1,3}$/) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
);
const anyAlert: fc.Arbitrary<Alert> = fc
  .record({
    name: anyName,
    isActive: fc.boolean(),
    ids: fc.oneof(
      fc.array(anyId, { maxLength: 5 }),
      fc.integer({ min: 60, max: 70 }).map((count) => Array.from({ length: count }, (_, index) => `i${index}`)),
    ),
    more: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 200_000 }) },
    ),
  })
  .map(({ name, isActive, ids, more }) =>
    alert({
      name,
      isActive,
      incidents: ids.map((id) => ({ id, type: 'Any' })),
      incidentCount: ids.length + more,
    }),
  );
/** Some more than one policy may declare. */
const many = fc
  .integer({ min: 63, max: 66 })
  .map((count) => Array.from({ length: count }, (_, index) => alert({ name: `A${index}`, isActive: index % 2 === 0 })));
const anyAlerts = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.uniqueArray(anyAlert, { maxLength: 6, selector: ({ name }) => canonicalName(name) }),
  },
  { weight: 1, arbitrary: many },
);
const anyOptions = fc.record({
  mode: fc.constantFrom('Observe', 'Enforce'),
  isActiveOnly: fc.boolean(),
  dismissalMs: fc.constantFrom(hourMs, 30 * 24 * hourMs, 90 * 24 * hourMs),
  maxDismissal: fc.constantFrom('1h', '720h', '8760h'),
});

test('exported policies are valid, declare every alert in its present state, and cause no action', () => {
  fc.assert(
    fc.property(anyAlerts, anyOptions, (live, { maxDismissal, ...change }) => {
      const limits = { ...connection().spec.limits, maxDismissal };
      const options: ExportOptions = { connection: connection({ limits }), namespace: 'team', nowMs, ...change };
      const { policies, left, dismissals } = exportScope('subscriptions/a', live, options);
      const text = exportYaml(policies);
      const unfilled = checkFiles([{ name: 'a.yaml', text, isNamed: true }], nowMs).problems;
      expect(unfilled.filter(({ path }) => path.at(-1) === 'reason')).toHaveLength(dismissals);
      expect(unfilled).toHaveLength(dismissals);

      const filled = text.replaceAll('reason: TODO', 'reason: tracked in SEC-1182');
      const { valid, problems } = checkFiles([{ name: 'a.yaml', text: filled, isNamed: true }], nowMs);
      expect(problems).toEqual([]);
      const stored = valid.flatMap(({ object }) => storedPolicy(object, 'team') ?? []);
      expect(stored).toHaveLength(policies.length);

      const laterMs = nowMs + 60_000;
      const grant = { ...allowed, maxDismissalMs: Number.parseInt(maxDismissal, 10) * hourMs };
      const inputs = stored.map(({ metadata, spec, status }) =>
        input({ name: metadata.name, metadata, spec, status, grant }),
      );
      const planned = plan(planInput({ nowMs: laterMs, policies: inputs, alerts: live }));
      expect(planned.actions).toEqual([]);
      const decided = planned.policies.flatMap(({ alerts: ofPolicy }) => ofPolicy);
      const results = decided.filter(({ want }) => want.source !== 'NotDeclared');
      expect(new Set(results.map(({ result }) => result))).toEqual(new Set(results.length > 0 ? ['InSync'] : []));
      const wanted = live.filter(({ isActive }) => isActive || !options.isActiveOnly);
      expect(results.length + left.length).toBe(wanted.length);
    }),
    { numRuns: 60 },
  );
});
