// What `validate` finds in correction windows that an API server accepts and that never let a deactivation through.
import { describe, expect, test } from 'vitest';

import { problemLine } from '../../../../src/commands/findings/problem-report.ts';
import { checkFiles } from '../../../../src/commands/manifests/check-files.ts';

const nowMs = Date.parse('2026-11-22T12:00:00Z');
const linesOf = (...documents: readonly string[]) =>
  checkFiles([{ name: 'a.yaml', text: documents.join('---\n'), isNamed: true }], nowMs).problems.map(problemLine);

const window = (kind: string, schedule: string, duration: string, timeZone = 'UTC') =>
  `    - {kind: ${kind}, schedule: "${schedule}", duration: ${duration}, timeZone: ${timeZone}}\n`;

const windowsOf = (windows: readonly string[]) =>
  windows.length === 0 ? '' : `  correctionWindows:\n${windows.join('')}`;

function policy(...windows: readonly string[]): string {
  return `apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertPolicy
metadata: {name: owners, namespace: team}
spec:
  connectionRef: {name: prod}
  scope: subscriptions/a
  alerts: [{name: Owners, state: Active}]
${windowsOf(windows)}`;
}

function connection(namespace: string, ...windows: readonly string[]): string {
  return `apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertConnection
metadata: {name: prod, namespace: ${namespace}}
spec:
  endpoint: {baseURL: https://service.example}
  auth: {tokenSecretRef: {name: alerts, key: token}}
${windowsOf(windows)}`;
}

const nights = window('Allow', '0 22 * * *', '4h');
const mornings = window('Allow', '0 6 * * *', '4h');
const always = window('Deny', '0 0 * * *', '24h');

describe('correction windows that never open are named where they begin', () => {
  test('when Deny covers every Allow', () => {
    expect(linesOf(policy(nights, window('Deny', '0 20 * * *', '8h')))).toEqual([
      'a.yaml:8:3: warning: spec.correctionWindows: the windows do not open in the next two weeks: the operator sends no deactivation and reports NoWindowAhead; remove or shorten a Deny, or add an Allow',
    ]);
  });

  test('when Deny covers all the time, of a connection as well', () => {
    expect(linesOf(policy(always))).toHaveLength(1);
    expect(linesOf(connection('team', always))).toHaveLength(1);
  });

  test('when no date fulfils the schedule', () => {
    expect(linesOf(policy(nights, window('Allow', '0 0 31 2,4 *', '1h')))).toEqual([
      'a.yaml:10:21: warning: spec.correctionWindows[1].schedule: no date fulfils "0 0 31 2,4 *": all windows of the object stay closed, and the operator reports WindowInvalid; correct it, or remove the window',
    ]);
  });

  test('when those of the policy and of its connection are open at different times', () => {
    expect(linesOf(policy(nights), connection('team', mornings))).toEqual([
      'a.yaml:8:3: warning: spec.correctionWindows: the windows and those of connection team/prod at a.yaml:17:3 do not open together in the next two weeks: the operator sends no deactivation and reports NoWindowAhead; change one of them so that they overlap',
    ]);
  });
});

describe('correction windows are accepted', () => {
  test('that open now and then, alone and together', () => {
    expect(linesOf(policy(nights), connection('team', window('Deny', '0 8 * * 1-5', '10h', 'Europe/Berlin')))).toEqual(
      [],
    );
  });

  test('that open after a freeze of weeks', () => {
    expect(linesOf(policy(window('Deny', '0 0 20-31 11 *', '168h')))).toEqual([]);
  });

  test('whatever those of a connection of another namespace are', () => {
    expect(linesOf(policy(nights), connection('other', mornings))).toEqual([]);
  });

  test('without a second warning when those of the connection alone never open', () => {
    expect(linesOf(policy(nights), connection('team', always))).toHaveLength(1);
  });
});
