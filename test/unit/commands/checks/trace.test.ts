// What a trace shows of the way from a policy to its alerts, and which one thing it names as the blocker.
import { describe, expect, test } from 'vitest';

import { traceJson, traceText } from '../../../../src/commands/checks/trace-text.ts';
import { traceOf, type TraceStep } from '../../../../src/commands/checks/trace.ts';
import type { TraceInput } from '../../../../src/commands/cluster/read-trace.ts';
import { allReasons } from '../../../../src/operator/reasons/reasons.ts';
import type { Condition } from '../../../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import {
  at,
  clusterConnection,
  clusterNamespace,
  connection,
  federatedAuth,
  namespace,
  policy,
  throughCluster,
} from '../../../support/builders/objects.ts';

type Status = NonNullable<RoleAlertPolicy['status']>;

const condition = (type: string, status: Condition['status'], reason: string, message = `${reason}.`): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at(0),
});
const decided = (...conditions: readonly Condition[]) => policy({ status: { observedGeneration: 1, conditions } });
const succeeded = [condition('Ready', 'True', 'Succeeded'), condition('InSync', 'True', 'InSync')];
const labelled = { labels: { 'rolealerts.dev/credential': 'true' }, annotations: {} };
const bare = { value: { labels: {}, annotations: {} } };

function input(change: Partial<TraceInput> = {}): TraceInput {
  return {
    policy: decided(...succeeded),
    connection: { value: connection() },
    credential: { value: labelled },
    namespace: { value: namespace() },
    clusterNamespace,
    ...change,
  };
}

const flat = (step: TraceStep): readonly TraceStep[] => [step, ...step.children.flatMap(flat)];
function stepOf(change: Partial<TraceInput>, kind: TraceStep['kind']) {
  const { state, name, text } = flat(traceOf(input(change)).root).find((step) => step.kind === kind) ?? {};
  return `${state} ${name}: ${text}`;
}
const blocker = (change: Partial<TraceInput>) => traceOf(input(change)).blocker;

describe('the credential', () => {
  test.each([
    ['with its consent', { value: labelled }, 'Ok Secret team/credentials, key token: exists, with the label'],
    [
      'without it',
      bare,
      'Blocked Secret team/credentials, key token: lacks the label rolealerts.dev/credential: "true"',
    ],
    ['that does not exist', { missing: 'Absent' }, 'Blocked Secret team/credentials, key token: does not exist'],
    ['that this person may not read', { missing: 'Denied' }, 'Unknown Secret team/credentials, key token: you may not'],
  ] as const)('%s', (_, credential, expected) => {
    expect(stepOf({ credential }, 'Credential')).toContain(expected);
  });

  test('of a federated connection is a ServiceAccount, which consents by an annotation', () => {
    const federated = { value: connection({ auth: federatedAuth }) };
    expect(stepOf({ connection: federated, credential: bare }, 'Credential')).toContain(
      'Blocked ServiceAccount team/alerts: lacks the annotation rolealerts.dev/federated-audience: "api://alerts"',
    );
    const annotations = { 'rolealerts.dev/federated-audience': 'api://alerts' };
    const credential = { value: { labels: {}, annotations } };
    expect(stepOf({ connection: federated, credential }, 'Credential')).toContain('Ok ServiceAccount team/alerts');
  });

  test('of a ClusterRoleAlertConnection is in the namespace of the operator', () => {
    const through = { connection: { value: clusterConnection() } };
    expect(stepOf(through, 'Credential')).toContain(`Secret ${clusterNamespace}/credentials`);
  });
});

describe('the grant', () => {
  const through = { policy: policy({ spec: { connectionRef: throughCluster } }) };

  test.each([
    [{}, 'Ok grant: list Allow, mode Enforce, deactivation Allow, unlisted Allow'],
    [{ connection: { value: connection({ deactivation: 'Deny' }) } }, 'deactivation Deny'],
    [{ connection: { missing: 'Denied' } }, 'Unknown grant: not known without the connection'],
    [{ ...through, connection: { value: clusterConnection() } }, 'Ok grant: list Allow'],
    [
      { ...through, connection: { value: clusterConnection({ access: [] }) } },
      'Blocked grant: no entry of spec.access',
    ],
    [
      { ...through, connection: { value: clusterConnection() }, namespace: { missing: 'Denied' } },
      'Unknown grant: not known: the labels of namespace team decide it',
    ],
  ] as const)('of %j is %s', (change, expected) => {
    expect(stepOf(change, 'Grant')).toContain(expected);
  });
});

describe('a connection', () => {
  const through = { policy: policy({ spec: { connectionRef: throughCluster } }) };

  test('that this person may not read is named, with what the policy shows of it', () => {
    expect(stepOf({ ...through, connection: { missing: 'Denied' } }, 'Connection')).toBe(
      'Unknown ClusterRoleAlertConnection prod: you may not read it; of the policy, ConnectionReady is not known',
    );
  });
});

describe('the blocker', () => {
  test('is absent while the policy is in sync', () => {
    expect(blocker({})).toBeUndefined();
  });

  test('is the cause of a connection that is not ready, with the command that its next step names', () => {
    const message = 'Lacks the label. If it is meant, run `kubectl label secret a -n b x=true`.';
    const conditions = [
      condition('Ready', 'False', 'ConnectionNotReady'),
      condition('ConnectionReady', 'False', 'SecretNotAllowed', message),
    ];
    expect(blocker({ policy: decided(...conditions) })).toEqual({
      reason: 'SecretNotAllowed',
      message,
      command: 'kubectl label secret a -n b x=true',
    });
  });

  test.each([
    [condition('Ready', 'True', 'Suspended'), 'rolealerts resume owners -n team'],
    [condition('Stalled', 'True', 'Flapping'), 'rolealerts reconcile owners -n team --wait'],
    [
      condition('Stalled', 'True', 'ConnectionNotFound'),
      'kubectl get rolealertconnections,clusterrolealertconnections -n team --show-labels',
    ],
    [condition('Ready', 'False', 'ServiceUnreachable'), 'rolealerts doctor -n team'],
    [condition('Ready', 'False', 'Unauthorized'), 'kubectl describe rac prod -n team'],
    [condition('Ready', 'False', 'SecretNotFound'), 'kubectl describe secret credentials -n team'],
    [condition('Ready', 'False', 'AlertNotFound'), 'kubectl edit rap owners -n team'],
    [condition('Coverage', 'False', 'GuardDenied'), `-p '{"spec":{"unlisted":{"state":"Ignore"}}}'`],
    [condition('Ready', 'False', 'ReasonOfTheFuture'), 'kubectl describe rap owners -n team'],
  ])('is the condition %j, with a command', (found, command) => {
    const conditions = found.type === 'Coverage' ? [...succeeded, found] : [found];
    const { reason, command: named } = blocker({ policy: decided(...conditions) }) ?? {};
    expect(reason).toBe(found.reason);
    expect(named).toContain(command);
  });

  test.each(allReasons)('of the reason %s does not lead back to trace', (reason) => {
    const conditions = [
      condition('Ready', 'False', 'ConnectionNotReady'),
      condition('ConnectionReady', 'False', reason),
    ];
    expect(blocker({ policy: decided(...conditions) })?.command).not.toContain('rolealerts trace');
  });

  test('of an observing policy is its mode, and of an enforcing one the operator or the grant', () => {
    const observed = (mode: 'Observe' | 'Enforce') => {
      const conditions = [condition('Ready', 'True', 'Observed'), condition('InSync', 'False', 'ObserveOnly')];
      return blocker({ policy: policy({ spec: { mode }, status: { observedGeneration: 1, conditions } }) })?.command;
    };
    expect(observed('Observe')).toBe(`kubectl patch rap owners -n team --type merge -p '{"spec":{"mode":"Enforce"}}'`);
    expect(observed('Enforce')).toBe('kubectl describe rac prod -n team');
  });

  test('of windows that never open is an edit of the policy that has some, otherwise of its connection', () => {
    const windows = [{ kind: 'Deny', schedule: '0 0 * * *', duration: '24h', timeZone: 'UTC' }] as const;
    const command = (spec: object, ...ready: [string, string?]) => {
      const status = { observedGeneration: 1, conditions: [condition('Stalled', 'True', ...ready)] };
      return blocker({ policy: policy({ spec, status }) })?.command;
    };
    expect(command({ correctionWindows: windows }, 'NoWindowAhead')).toBe('kubectl edit rap owners -n team');
    expect(command({}, 'NoWindowAhead')).toBe('kubectl edit rac prod -n team');
    const invalid = 'spec.correctionWindows[0].timeZone of connection team/prod is not valid.';
    expect(command({ correctionWindows: windows }, 'WindowInvalid', invalid)).toBe('kubectl edit rac prod -n team');
  });

  test('is the capacity of the connection when nothing else is wrong, with the figure that suffices', () => {
    const conditions = [condition('Capacity', 'False', 'BudgetTooSmall')];
    const status = { observedGeneration: 1, conditions, predictedRequestsPerHour: 4000 };
    expect(blocker({ connection: { value: { ...clusterConnection(), status } } })?.command).toBe(
      `kubectl patch crac prod --type merge -p '{"spec":{"limits":{"requestsPerHour":4000}}}'`,
    );
  });

  test.each([
    [{ connection: { missing: 'Absent' } }, 'ConnectionNotFound', 'kubectl get'],
    [{ credential: { missing: 'Absent' } }, 'SecretNotFound', 'kubectl create secret generic credentials -n team'],
    [{ credential: bare }, 'SecretNotAllowed', 'kubectl label --overwrite secret credentials -n team'],
    [
      { connection: { value: clusterConnection({ access: [] }) } },
      'AccessDenied',
      'kubectl get namespace team --show-labels',
    ],
    [{}, 'Pending', 'kubectl get deployments,leases -n rolealerts-system'],
    [{ connection: { missing: 'Denied' } }, 'Pending', 'kubectl get deployments'],
  ] as const)('of a policy that no operator has decided is its first broken link: %j', (change, reason, command) => {
    const found = blocker({ policy: policy(), ...change });
    expect(found).toMatchObject({ reason, command: expect.stringContaining(command) });
  });
});

describe('the text', () => {
  const row = {
    name: 'TooManyOwners',
    want: 'Active',
    live: 'Inactive',
    state: 'Dismissed',
    result: 'Drifted',
    severity: 'High',
    lastDrift: { at: at(0), actorClass: 'User', direction: 'Deactivated' },
    incidents: { total: 3 },
  } as const;
  const status: Status = {
    observedGeneration: 1,
    conditions: [condition('Ready', 'False', 'CorrectionFailed', 'Alert TooManyOwners: refused.')],
    effective: { mode: 'Enforce', interval: '15m', scope: 'subscriptions/a' },
    summary: {
      declared: 1,
      inSync: 0,
      drifted: 1,
      missing: 0,
      dismissed: 0,
      incidents: 3,
      unmanagedCount: 1,
      inSyncText: '0/1',
    },
    alerts: [row],
    history: [{ at: at(0), alert: 'TooManyOwners', direction: 'Activated', reason: 'Drift', count: 2 }],
  };
  test('is a tree from the policy to its alerts and writes, and ends with the command', () => {
    expect(traceText(traceOf(input({ policy: policy({ status }) })), 0)).toBe(
      `✗ policy team/owners: Ready is False (CorrectionFailed); Enforce, every 15m
├─ ? connection team/prod: Ready is Unknown (Pending); https://service.example
│  └─ Secret team/credentials, key token: exists, with the label rolealerts.dev/credential: "true"
├─ grant: list Allow, mode Enforce, deactivation Allow, unlisted Allow
├─ ? scope subscriptions/a: 0 of 1 declared alerts in sync, 1 other
│  └─ ✗ TooManyOwners: Drifted: want Active, live Inactive; Dismissed, 3 incidents; High; last drift: Deactivated at ${at(0)}, inferred actor User
└─ last corrections: 1, newest first
   └─ ${at(0)}: TooManyOwners Activated (Drift, 2 times)

Blocked by CorrectionFailed: Alert TooManyOwners: refused.

  kubectl describe rac prod -n team
`,
    );
  });

  test('counts the steps that it leaves out, and cuts lines on a terminal only', () => {
    const alerts = Array.from({ length: 25 }, (_, index) => ({ ...row, name: `Alert${index}` }));
    const trace = traceOf(input({ policy: policy({ status: { ...status, alerts } }) }));
    expect(traceText(trace, 0)).toContain('│  └─ … and 5 more; --output json has all\n');
    const [tree = ''] = traceText(trace, 40).split('\n\n');
    expect(Math.max(...tree.split('\n').map((line) => line.length))).toBe(40);
  });

  test('of a policy without a blocker says so, and its JSON has the tree', () => {
    const trace = traceOf(input());
    expect(traceText(trace, 0)).toMatch(/\n\nNothing blocks the policy\.\n$/);
    expect(traceJson(trace)).toMatchObject({
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'PolicyTrace',
      root: {
        kind: 'Policy',
        name: 'policy team/owners',
        children: [{ kind: 'Connection' }, { kind: 'Grant' }, {}, {}],
      },
      blocker: null,
    });
  });
});
