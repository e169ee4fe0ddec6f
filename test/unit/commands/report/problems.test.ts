// The formats of the report of `validate`.
import { expect, test } from 'vitest';

import {
  problemGithub,
  problemJson,
  problemJunit,
  problemSarif,
  problemSummary,
  problemText,
} from '../../../../src/commands/findings/problem-report.ts';
import type { PlacedProblem } from '../../../../src/commands/manifests/parse-manifests.ts';

const error: PlacedProblem = {
  check: 'unsupported-value',
  severity: 'error',
  path: ['spec', 'alerts', 0, 'state'],
  message: '"on & <off>" is not one of\nActive, Inactive: 100%',
  fix: 'write Active',
  file: 'dir/a,b.yaml',
  place: { line: 9, column: 7 },
};
const warning: PlacedProblem = {
  check: 'expired',
  severity: 'warning',
  path: ['metadata', 'annotations', 'a.b/c'],
  message: 'it has ended',
  file: '-',
  place: { line: 1, column: 1 },
};
const problems = [error, warning];

test('no control character of a file or a manifest reaches a terminal', () => {
  const path = ['spec', 'key\u001b[2J\n::error::forged'];
  const forged = { ...warning, path, message: 'it\u202e \u009bhas ended', file: 'a\u001b]8;;\u0007.yaml' };
  expect(problemText([forged])).toBe('a8;; .yaml:1:1: warning: spec[key ::error::forged]: it has ended\n');
});

test('the summary counts', () => {
  expect(problemSummary({ checked: 1, skipped: 0, problems: [] })).toBe('1 object checked, 0 errors, 0 warnings');
  expect(problemSummary({ checked: 2, skipped: 1, problems })).toBe(
    '2 objects checked, 1 error, 1 warning, 1 other document skipped',
  );
});

test('JSON has a version and one member for each fact', () => {
  expect(JSON.parse(problemJson({ checked: 2, skipped: 0, problems: [warning] }))).toEqual({
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'ValidationReport',
    checked: 2,
    skipped: 0,
    problems: [
      {
        check: 'expired',
        severity: 'warning',
        file: '-',
        line: 1,
        column: 1,
        field: 'metadata.annotations[a.b/c]',
        message: 'it has ended',
      },
    ],
  });
});

test('a workflow command escapes what would end it', () => {
  expect(problemGithub([error])).toBe(
    '::error file=dir/a%2Cb.yaml,line=9,col=7,title=rolealerts unsupported-value::spec.alerts[0].state: "on & <off>" is not one of%0AActive, Inactive: 100%25; write Active\n',
  );
});

test('SARIF names a rule that it defines, and a place', () => {
  const { runs } = JSON.parse(problemSarif(problems, '1.2.3'));
  const [{ tool, results }] = runs;
  const defined = tool.driver.rules.map(({ id }: { id: string }) => id);
  expect(defined).toEqual(expect.arrayContaining(problems.map(({ check }) => check)));
  expect(results[0]).toMatchObject({
    ruleId: 'unsupported-value',
    level: 'error',
    locations: [
      { physicalLocation: { artifactLocation: { uri: 'dir/a,b.yaml' }, region: { startLine: 9, startColumn: 7 } } },
    ],
  });
  expect(results[1].locations[0].physicalLocation.artifactLocation.uri).toBe('stdin');
});

test('JUnit has a case for each file, failed because of errors only', () => {
  expect(problemJunit(['dir/a,b.yaml', '-', 'c.yaml'], [{ ...error, message: '<&>"\u0001' }, warning])).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="0">
<testsuite name="rolealerts validate" tests="3" failures="1" errors="0">
<testcase classname="rolealerts.validate" name="dir/a,b.yaml"><failure message="dir/a,b.yaml:9:7: error: spec.alerts[0].state: &lt;&amp;&gt;&quot;\ufffd; write Active">dir/a,b.yaml:9:7: error: spec.alerts[0].state: &lt;&amp;&gt;&quot;\ufffd; write Active</failure></testcase>
<testcase classname="rolealerts.validate" name="-"><system-out>-:1:1: warning: metadata.annotations[a.b/c]: it has ended</system-out></testcase>
<testcase classname="rolealerts.validate" name="c.yaml"/>
</testsuite>
</testsuites>
`,
  );
});
