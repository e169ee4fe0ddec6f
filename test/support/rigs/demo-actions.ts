// The demo without a cluster: policies that say what a sample expects.
import type { Expectation, Sample } from '../../../src/local/demo/samples.ts';
import type { SeenObjects } from '../../../src/local/demo/scenario.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { connection, inSyncRow } from '../builders/objects.ts';

const correctedAt = '2026-11-21T10:00:00Z';

/** A policy with exactly the conditions, the history and the summary that `expected` asks for. */
export function policyAsExpected(
  sample: Sample,
  expected: Expectation,
  { verifiedAt = correctedAt }: { readonly verifiedAt?: string } = {},
): RoleAlertPolicy {
  const conditions = Object.entries(expected.conditions).map(([type, text]) => {
    const [status = '', reason = ''] = text.split('/');
    return { type, status: status as 'True', reason, message: '', lastTransitionTime: correctedAt };
  });
  const history = expected.history && [{ ...expected.history, at: correctedAt, alert: sample.alert }];
  const alert = { ...inSyncRow(sample.alert), verifiedAt };
  const isMissing = expected.isActive === undefined;
  const summary = { declared: 2, inSync: 1, drifted: 0, missing: isMissing ? 1 : 0, dismissed: 0, incidents: 12 };
  return {
    apiVersion: 'rolealerts.dev/v1alpha1',
    kind: 'RoleAlertPolicy',
    metadata: {
      name: sample.name,
      namespace: 'demo',
      uid: `uid-of-${sample.name}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: correctedAt,
    },
    spec: { connectionRef: { kind: 'RoleAlertConnection', name: sample.connection }, scope: sample.scope } as never,
    status: {
      observedGeneration: 1,
      conditions,
      alerts: [alert],
      summary: { ...summary, inSyncText: '1/2' },
      ...(history && { history }),
    },
  };
}

/** A connection whose register has the dismissal of the sample if `expected` asks for it. */
export function connectionAsExpected(
  { name, scope, alert }: Sample,
  { isRegistered }: Expectation,
): RoleAlertConnection {
  const entry = { scope, alert, policy: `demo/${name}`, since: correctedAt, until: correctedAt, reason: 'SEC-1' };
  const status = { observedGeneration: 1, conditions: [], policies: 1, scopes: 1, predictedRequestsPerHour: 1 };
  return { ...connection(), status: { ...status, dismissals: isRegistered ? [entry] : [] } };
}

export function seenAsExpected(
  sample: Sample,
  expected: Expectation,
  facts: { verifiedAt?: string } = {},
): SeenObjects {
  return {
    policy: policyAsExpected(sample, expected, facts),
    connection: connectionAsExpected(sample, expected),
    isActive: expected.isActive,
    events: Object.entries(expected.events ?? {}).flatMap(([reason, count]) => Array<string>(count).fill(reason)),
  };
}
