// The demo without a cluster: policies that say what a sample expects.
import type { Expectation, Sample } from '../../../src/local/demo/samples.ts';
import type { SeenObjects } from '../../../src/local/demo/scenario.ts';
import type { RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { inSyncRow } from '../builders/objects.ts';

const correctedAt = '2026-11-21T10:00:00Z';

/** A policy with exactly the conditions and the summary that `expected` asks for. */
export function policyAsExpected(sample: Sample, expected: Expectation): RoleAlertPolicy {
  const conditions = Object.entries(expected.conditions).map(([type, text]) => {
    const [status = '', reason = ''] = text.split('/');
    return { type, status: status as 'True', reason, message: '', lastTransitionTime: correctedAt };
  });
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
      alerts: [inSyncRow(sample.alert)],
      summary: { ...summary, inSyncText: '1/2' },
    },
  };
}

export function seenAsExpected(sample: Sample, expected: Expectation): SeenObjects {
  return {
    policy: policyAsExpected(sample, expected),
    isActive: expected.isActive,
    events: Object.entries(expected.events).flatMap(([reason, count]) => Array<string>(count).fill(reason)),
  };
}
