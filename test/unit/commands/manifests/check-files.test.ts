// What `validate` finds in files: places, other documents, and policies that do not fit together.
import { describe, expect, test } from 'vitest';

import { problemLine } from '../../../../src/commands/findings/problem-report.ts';
import { checkFiles } from '../../../../src/commands/manifests/check-files.ts';

const nowMs = Date.parse('2026-11-22T12:00:00Z');
const check = (text: string, isNamed = true) => checkFiles([{ name: 'a.yaml', text, isNamed }], nowMs);
const linesOf = (text: string) => check(text).problems.map(problemLine);

function policy(name: string, rest: string, namespace = 'team'): string {
  return `apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertPolicy
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  connectionRef: {name: prod}
${rest}`;
}

const owners = (state: string, scope = 'subscriptions/a') =>
  `  scope: ${scope}\n  alerts:\n    - name: Owners\n      state: ${state}\n`;
const dismissed = (until: string) =>
  `  scope: subscriptions/a\n  alerts:\n    - name: Owners\n      state: Inactive\n      dismissal: {reason: tracked in SEC-1, until: "${until}"}\n`;

describe('the place of a problem', () => {
  test('is the key of the field, with line and column from 1', () => {
    expect(linesOf(policy('owners', `${owners('Active')}  mode: enforce\n`))).toEqual([
      'a.yaml:10:3: error: spec.mode: "enforce" is not one of Enforce, Observe; write Enforce',
    ]);
  });

  test('of a missing field is the object around it', () => {
    expect(linesOf(policy('owners', '  alerts: [{name: Owners, state: Active}]\n'))).toEqual([
      'a.yaml:4:1: error: spec.scope: the field is required; add scope',
    ]);
  });

  test('in a later document and in a List counts from the beginning of the file', () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n  - apiVersion: rolealerts.dev/v1alpha1\n    kind: RoleAlertPolicys\n`;
    expect(linesOf(`${policy('owners', owners('Active'))}---\n${list}`)).toEqual([
      'a.yaml:15:5: error: kind: rolealerts.dev has no kind RoleAlertPolicys; write RoleAlertPolicy',
    ]);
  });

  test('of broken YAML and of a repeated key is where the parser stops', () => {
    expect(linesOf('a: [1\nb: 2\n')[0]).toMatch(/^a\.yaml:2:1: error: /);
    expect(linesOf('a: 1\na: 2\n')).toEqual(['a.yaml:2:1: error: Map keys must be unique']);
  });
});

describe('values', () => {
  test('are read as kubectl reads them: a plain off is false', () => {
    expect(linesOf(policy('owners', owners('off')))).toEqual([
      'a.yaml:9:7: error: spec.alerts[0].state: the value must be a text, not true or false',
      'a.yaml:9:7: error: spec.alerts[0].state: false is not one of Active, Inactive',
    ]);
  });

  test.each([
    ['y', 'true or false'],
    ['1', 'an integer'],
    ['1.5', 'a number'],
    ['1_0e-1', 'an integer'],
  ])('that are to be a text, and are %s, belong in quotes', (key, read) => {
    const auth = `  auth: {tokenSecretRef: {name: alerts, key: ${key}}}\n`;
    const connection = `apiVersion: rolealerts.dev/v1alpha1\nkind: RoleAlertConnection\nmetadata: {name: prod}\nspec:\n  endpoint: {baseURL: https://a.example}\n${auth}`;
    expect(linesOf(connection)).toEqual([
      `a.yaml:6:41: error: spec.auth.tokenSecretRef.key: the value must be a text, not ${read}; put it in quotes`,
    ]);
    expect(linesOf(policy('owners', owners('Active').replace('Owners', key)))[0]).toMatch(
      /spec\.alerts\[0\]\.name: .*; put it in quotes$/,
    );
  });

  test('that are a date, a time of day, or no number to kubectl stay texts', () => {
    const linesFor = (name: string) => linesOf(policy('owners', owners('Active').replace('Owners', name)));
    expect(['2026-11-22', 'e1234567', '1234e567'].flatMap(linesFor)).toEqual([]);
    expect(linesFor('12:30:45')).toHaveLength(1);
  });
});

describe('documents', () => {
  test('of other API groups are skipped and counted', () => {
    const { problems, checked, skipped } = check(
      `apiVersion: v1\nkind: Secret\n---\n${policy('a', owners('Active'))}---\n`,
    );
    expect({ problems, checked, skipped }).toEqual({ problems: [], checked: 1, skipped: 1 });
  });

  test('without apiVersion are a mistake in a named file, and no manifests in a file that a directory holds', () => {
    expect(check('replicas: 1\n').problems.map(({ message }) => message)).toHaveLength(2);
    expect(check('replicas: 1\n', false)).toMatchObject({ problems: [], checked: 0, skipped: 1 });
  });

  test('that cannot be parsed are errors in a file of a directory, too, if it names the API group', () => {
    const broken = policy('owners', owners('Active')).replace('{name: prod}', '{name: prod');
    expect(check(broken, false).problems.map(({ place }) => place.line)).toContain(6);
    expect(check('{{- range .Values.all }}\nname: {{ . }}\n{{- end }}\n', false)).toMatchObject({
      problems: [],
      skipped: 1,
    });
  });

  test('with a status are valid: an API server drops it', () => {
    expect(linesOf(`${policy('a', owners('Active'))}status: {nonsense: true}\n`)).toEqual([]);
  });
});

describe('policies together', () => {
  test('that declare one alert in two states are named with both places', () => {
    const text = `${policy('a', owners('Active'))}---\n${policy('b', dismissed('2027-01-01T00:00:00Z')).replace('subscriptions/a', 'Subscriptions/A')}`;
    expect(linesOf(text)).toEqual([
      'a.yaml:19:7: warning: spec.alerts[0].state: Owners is declared Inactive here, and Active for the same scope at a.yaml:9:7: Active wins; declare one state, or remove the alert from one of the policies',
    ]);
  });

  test('in different namespaces, on different scopes or in Observe mode do not contradict each other', () => {
    const other = dismissed('2027-01-01T00:00:00Z');
    expect(linesOf(`${policy('a', owners('Active'))}---\n${policy('a', other, 'other')}`)).toEqual([]);
    expect(linesOf(`${policy('a', owners('Active', 'subscriptions/b'))}---\n${policy('b', other)}`)).toEqual([]);
    expect(linesOf(`${policy('a', owners('Active'))}---\n${policy('b', `${other}  mode: Observe\n`)}`)).toEqual([]);
  });

  test('of one name replace each other', () => {
    const text = `${policy('a', owners('Active'))}---\n${policy('a', owners('Active', 'subscriptions/b'))}`;
    expect(linesOf(text)).toEqual([
      'a.yaml:13:12: warning: metadata.name: policy team/a is declared before, at a.yaml:3:12: the later one replaces it; rename one of them, or remove it',
    ]);
  });
});

describe('what has ended', () => {
  test('a dismissal, from the second of its end on', () => {
    expect(linesOf(policy('a', dismissed('2026-11-22T12:00:01Z')))).toEqual([]);
    expect(linesOf(policy('a', dismissed('2026-11-22T12:00:00Z')))).toEqual([
      'a.yaml:10:45: warning: spec.alerts[0].dismissal.until: the dismissal of Owners has ended: the operator keeps the alert active; set a later until, or state: Active',
    ]);
  });

  test('a suspension', () => {
    const text = policy('a', `${owners('Active')}  suspend: true\n  suspendUntil: "2026-11-01T00:00:00Z"\n`);
    expect(linesOf(text)).toEqual([
      'a.yaml:11:3: warning: spec.suspendUntil: the suspension has ended; remove suspend and suspendUntil',
    ]);
  });
});

test('brackets without an end are one problem for each place', () => {
  expect(linesOf(`a: ${'['.repeat(3)}`)).toEqual([expect.stringMatching(/^a\.yaml:1:7: error: /)]);
  const deep = linesOf(`a: ${'['.repeat(20_000)}`);
  expect([deep.length < 3, deep.some((line) => line.includes('call stack'))]).toEqual([true, false]);
});
