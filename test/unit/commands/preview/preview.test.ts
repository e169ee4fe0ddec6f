// What `rolealerts plan` shows of planned scopes, in each format.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import type { Alert } from '../../../../src/alerts/types.ts';
import { checkFiles } from '../../../../src/commands/manifests/check-files.ts';
import { previewOf } from '../../../../src/commands/preview/build-preview.ts';
import { fileObjects } from '../../../../src/commands/preview/file-objects.ts';
import type { DeclaredObjects } from '../../../../src/commands/preview/file-objects.ts';
import type { Listing } from '../../../../src/commands/preview/planned-scope.ts';
import { previewJunit, previewSarif } from '../../../../src/commands/preview/preview-findings.ts';
import type { Preview } from '../../../../src/commands/preview/preview.ts';
import { previewJson, previewMarkdown, previewText } from '../../../../src/commands/preview/render-preview.ts';
import { ScopePlanner } from '../../../../src/commands/preview/scope-planner.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import {
  accessEntry,
  active,
  alert,
  alertName,
  at,
  clusterConnection,
  connection,
  firing,
  inactive,
  intervalMs,
  namespace,
  nowMs,
  policy,
  throughCluster,
  workdays,
} from '../../../support/builders/objects.ts';
import { junitProblems, sarifProblems } from '../../../support/checks/report-schemas.ts';

const context = { nowMs, memory: 'Files', clusterNamespace: 'rolealerts-system' } as const;

function previewFor(
  change: Partial<DeclaredObjects>,
  listing: Listing | readonly Alert[],
  memory: Preview['memory'] = 'Files',
): Preview {
  const objects = { policies: [], connections: [connection()], namespaces: [], ...change };
  const planner = new ScopePlanner(objects, { nowMs, defaultIntervalMs: intervalMs });
  const listed: Listing = Array.isArray(listing) ? { alerts: listing as readonly Alert[] } : (listing as Listing);
  return previewOf(planner.plan(new Map(planner.due.map((scope) => [scope, listed]))), { ...context, memory });
}

const declaring = (spec: Partial<RoleAlertPolicy['spec']>, listing: Listing | readonly Alert[]) =>
  previewFor({ policies: [policy({ spec })] }, listing);
const notesOf = ({ scopes }: Preview) =>
  scopes.flatMap(({ notes }) => notes.map(({ kind, reason, until }) => [kind, reason, until]));
const messageOf = ({ scopes }: Preview) => scopes[0]?.notes[0]?.message;

const dismissing = declaring({ alerts: [inactive({ incidents: ['x', 'y'] })] }, [
  firing(['x'], { severity: 'Medium' }),
]);

describe('the text', () => {
  test('shows a deactivation first, with its reason, bound and cause', () => {
    expect(previewText(dismissing)).toBe(`DEACTIVATIONS: these alerts would become inactive (1)
  ! ${alertName} of subscriptions/a
      reason: tracked in SEC-1182
      bound:  while it has no incidents but x, y
      cause:  declared Inactive, and the dismissal is in force; now active with 1 incident, severity Medium
      by:     policy team/owners, connection team/prod

Plan for 2026-06-01T12:00:00Z: 1 deactivation, 0 activations, on 1 scope.
Assumed: the operator has no dismissals in its ledger, and has sent no deactivations recently. --live reads both from the cluster.
`);
  });

  test('shows an activation with the class of the actor', () => {
    const systemModifiedAtMs = nowMs - 60_000;
    const off = alert({ isActive: false, lastActor: 'User', systemModifiedAtMs, modifiedAtMs: systemModifiedAtMs });
    expect(previewText(declaring({ alerts: [active] }, [off]))).toContain(
      `  + ${alertName} of subscriptions/a
      cause:  declared Active; a user probably changed it; now inactive with 0 incidents, severity High`,
    );
  });

  test('names the only namespace that was read', () => {
    const some = { ...previewFor({ policies: [policy()] }, [alert()], 'Cluster'), namespace: 'team' };
    const sentence = 'Known: the policies of namespace team.';
    expect([previewText(some).includes(sentence), previewMarkdown(some).includes(sentence)]).toEqual([true, true]);
  });

  test('has no control characters of a manifest', () => {
    const evil = inactive({ incidents: ['x\u001b[31m'], reason: 'ticket \u202eSEC-1182' });
    expect(previewText(declaring({ alerts: [evil] }, [alert()]))).not.toMatch(/[\u001b\u202e]/);
  });
});

describe('a note', () => {
  test('of a window has the time when it opens', () => {
    const waiting = declaring({ alerts: [inactive({})], correctionWindows: [workdays] }, [alert()]);
    expect(notesOf(waiting)).toEqual([['Held', 'WaitingForWindow', '2026-06-01T18:00:00Z']]);
    expect(messageOf(waiting)).toContain('correction windows are closed until 2026-06-01T18:00:00Z');
  });

  test('of a dismissal in force has its bound', () => {
    const dismissed = declaring({ alerts: [inactive({ maxIncidents: 3 })] }, [alert({ isActive: false })]);
    expect(messageOf(dismissed)).toBe(
      `Alert ${alertName}: stays inactive until ${at(20 * 24 * 3_600_000)}, and while it has at most 3 incidents. Reason: tracked in SEC-1182`,
    );
  });

  test('of a misspelled alert has the nearest listed name', () => {
    const misspelled = declaring({ alerts: [{ name: 'TooManyOwner', state: 'Active' }] }, [
      alert({ name: 'TooManyOwners' }),
      alert({ name: 'TooManyReaders' }),
    ]);
    expect(messageOf(misspelled)).toContain('The nearest to TooManyOwner that it lists is TooManyOwners.');
  });

  test.each<[string, Partial<RoleAlertPolicy['spec']>, readonly Alert[], string, string]>([
    ['a suspension', { suspend: true }, [alert()], 'InForce', 'Suspended'],
    ['a missing alert', {}, [], 'NotReady', 'AlertNotFound'],
    ['Observe mode', { mode: 'Observe' }, [alert({ isActive: false })], 'NotApplied', 'Observed'],
    [
      'a dismissal that is too long',
      { alerts: [inactive({ until: at(400 * 24 * 3_600_000) })] },
      [alert()],
      'NotReady',
      'DismissalTooLong',
    ],
    [
      'an ended dismissal',
      { alerts: [inactive({ until: '2026-01-01T00:00:00Z' })] },
      [alert()],
      'InForce',
      'DismissalExpired',
    ],
  ])('of %s has its reason', (_, spec, alerts, kind, reason) => {
    expect(notesOf(declaring(spec, alerts))).toEqual([[kind, reason, undefined]]);
  });

  test.each([
    ['a guard', { unlisted: 'Deny' }, 'NotReady', 'GuardDenied'],
    ['the mode', { maxMode: 'Observe' }, 'NotApplied', 'ModeNotGranted'],
  ] as const)('of %s that is not granted has the effect on Ready', (_, grant, kind, reason) => {
    const guarding = { connectionRef: throughCluster, unlisted: { state: 'Active', minSeverity: 'Low' } } as const;
    const preview = previewFor(
      {
        connections: [clusterConnection({ access: [accessEntry(grant)] })],
        policies: [policy({ spec: guarding })],
        namespaces: [namespace()],
      },
      [alert()],
    );
    expect(notesOf(preview)).toEqual([[kind, reason, undefined]]);
  });

  test('of a connection that is being deleted says so, except for a suspended policy', () => {
    const base = connection();
    const ending = { ...base, metadata: { ...base.metadata, deletionTimestamp: at(-1000) } };
    const policies = [policy(), policy({ name: 'second', spec: { suspend: true } })];
    expect(notesOf(previewFor({ connections: [ending], policies }, []))).toEqual([
      ['NotReady', 'ConnectionDeleting', undefined],
      ['InForce', 'Suspended', undefined],
    ]);
  });

  test('of a conflict names the policy that owns the alert', () => {
    const policies = [policy(), policy({ name: 'second', spec: { alerts: [inactive({})] } })];
    const [note] = previewFor({ policies }, [alert()]).scopes[0]?.notes ?? [];
    expect([note?.policy, note?.reason, note?.message.includes('policy team/owners')]).toEqual([
      'team/second',
      'ScopeConflict',
      true,
    ]);
  });
});

describe('a scope that is not known', () => {
  test('has the reason of the service and the next step', () => {
    const refused = declaring({}, { error: new AlertsError('scope-forbidden', 'no', { serviceCode: 'Forbidden' }) });
    expect(notesOf(refused)).toEqual([['Failed', 'ScopeForbidden', undefined]]);
    expect(messageOf(refused)).toContain('(error code Forbidden)');
  });

  test('has no connection in the files; in a cluster that is a state of the policy', () => {
    const lost = { connections: [], policies: [policy()] };
    expect(notesOf(previewFor(lost, []))).toEqual([['Failed', 'ConnectionNotKnown', undefined]]);
    expect(notesOf(previewFor(lost, [], 'Cluster'))).toEqual([['NotReady', 'ConnectionNotFound', undefined]]);
  });

  test('needs the labels of a namespace that no file has; a namespace without access is known', () => {
    const through = {
      connections: [clusterConnection()],
      policies: [policy({ spec: { connectionRef: throughCluster } })],
    };
    expect(notesOf(previewFor(through, []))).toEqual([['Failed', 'NamespaceNotKnown', undefined]]);
    expect(notesOf(previewFor({ ...through, namespaces: [namespace({ team: 'z' })] }, []))).toEqual([
      ['NotReady', 'AccessDenied', undefined],
    ]);
  });
});

describe('other formats', () => {
  test('JSON has a version and the members of a change', () => {
    expect(JSON.parse(previewJson(dismissing))).toEqual({
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'PlanReport',
      at: '2026-06-01T12:00:00Z',
      memory: 'Files',
      totals: { scopes: 1, activations: 0, deactivations: 1, held: 0, notReady: 0, failed: 0 },
      scopes: [
        {
          connection: 'team/prod',
          scope: 'subscriptions/a',
          policies: ['team/owners'],
          changes: [
            {
              alert: alertName,
              action: 'Deactivate',
              policy: 'team/owners',
              cause: 'DismissalHolds',
              because: 'declared Inactive, and the dismissal is in force',
              actor: 'Unknown',
              severity: 'Medium',
              incidents: 1,
              dismissal: {
                reason: 'tracked in SEC-1182',
                incidents: ['x', 'y'],
                bound: 'while it has no incidents but x, y',
              },
            },
          ],
          notes: [],
        },
      ],
    });
  });

  test('each shows first that a policy would not be ready, and how many', () => {
    const misspelled = declaring({ alerts: [active, { name: 'Ownerz', state: 'Active' }] }, [
      alert({ isActive: false }),
    ]);
    const heading = 'NOT READY: these policies would fail (1)';
    expect(previewText(misspelled)).toMatch(
      /\nNOT READY: these policies would fail \(1\)\n {2}policy team\/owners, subscriptions\/a: AlertNotFound\n {6}Alert Ownerz: not listed/,
    );
    expect(previewText(misspelled)).toContain('1 activation, on 1 scope; 1 policy not ready.\n');
    expect(previewMarkdown(misspelled).indexOf(`#### :warning: ${heading}`)).toBeLessThan(
      previewMarkdown(misspelled).indexOf('#### Activations'),
    );
    expect(previewJunit(misspelled)).toMatch(/<failure [^]*\nAlert Ownerz: not listed by the service/);
    expect(JSON.parse(previewSarif(misspelled, new Map(), '1.2.3')).runs[0].results).toContainEqual(
      expect.objectContaining({ ruleId: 'not-ready', level: 'error' }),
    );
  });

  test('Markdown escapes what a manifest says', () => {
    const reason = '| @all <img> https://x.example www.x.example GH-1 %1';
    const evil = declaring({ alerts: [inactive({ reason })] }, [alert()]);
    const markdown = previewMarkdown(evil);
    expect(markdown).toContain('#### :warning: DEACTIVATIONS: these alerts would become inactive (1)');
    expect(markdown).toContain('\\| @\u200ball \\<img\\> https:\u200b//x.example www\u200b.x.example GH\u200b-1 \\%1');
  });

  const yaml = `apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertPolicy
metadata: {name: owners, namespace: team}
spec:
  connectionRef: {name: prod}
  scope: subscriptions/a
  alerts:
    - name: ${alertName}
      state: Active
`;
  const { manifests } = fileObjects(checkFiles([{ name: 'a b.yaml', text: yaml, isNamed: true }], nowMs), 'team');
  const failing = declaring({}, { error: new AlertsError('scope-forbidden', 'no') });

  test('SARIF points to the alert in its file, or names the policy', () => {
    const planned = declaring({}, [alert({ isActive: false })]);
    const locationIn = (text: string) => JSON.parse(text).runs[0].results[0].locations[0];
    expect(locationIn(previewSarif(planned, manifests, '1.2.3'))).toEqual({
      physicalLocation: { artifactLocation: { uri: 'a%20b.yaml' }, region: { startLine: 8, startColumn: 7 } },
    });
    expect(locationIn(previewSarif(planned, new Map(), '1.2.3'))).toEqual({
      logicalLocations: [{ fullyQualifiedName: 'policy team/owners', kind: 'resource' }],
    });
  });

  test('SARIF and JUnit follow their schemas', async () => {
    const all = [dismissing, failing, declaring({ mode: 'Observe' }, [alert({ isActive: false })])];
    for (const each of all) expect(sarifProblems(previewSarif(each, manifests, '1.2.3'))).toEqual([]);
    expect(await junitProblems(...all.map(previewJunit))).toEqual([]);
  });

  test('a test case of JUnit fails with changes, and is in error if they are not known', () => {
    expect(previewJunit(dismissing)).toContain(
      `<failure message="${alertName} of subscriptions/a would become inactive`,
    );
    expect(previewJunit(failing)).toContain('<error message="Scope subscriptions/a: the service does not allow');
    expect(previewJunit(declaring({}, [alert()]))).toContain('tests="1" failures="0" errors="0"');
  });
});
