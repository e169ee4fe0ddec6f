// Reports that other programs read follow their schemas, whatever a file is called and whatever a problem says.
import { expect, test } from 'vitest';

import { problemJunit, problemSarif } from '../../../../src/commands/findings/problem-report.ts';
import { oddFiles, oddProblems } from '../../../support/builders/odd-problems.ts';
import { junitProblems, sarifProblems } from '../../../support/checks/report-schemas.ts';

test('SARIF follows the schema of SARIF 2.1.0', () => {
  expect(sarifProblems(problemSarif(oddProblems, '1.2.3'))).toEqual([]);
  expect(sarifProblems(problemSarif([], '1.2.3'))).toEqual([]);
});

test('a place in SARIF names its file and nothing else', () => {
  const { runs } = JSON.parse(problemSarif(oddProblems, '1.2.3'));
  const uris: string[] = runs[0].results.map(
    ({ locations }: { locations: [{ physicalLocation: { artifactLocation: { uri: string } } }] }) =>
      locations[0].physicalLocation.artifactLocation.uri,
  );
  const read = [...new Set(uris)].map((uri) => new URL(uri, 'file:///repo/'));
  expect(read.map(({ protocol, search, hash }) => [protocol, search, hash])).toEqual(
    oddFiles.map(() => ['file:', '', '']),
  );
  expect(decodeURI(read[6]?.pathname ?? '').replaceAll('%3A', ':')).toBe('/repo/k:l.yaml');
});

test('JUnit follows its schema', async () => {
  const reports = [problemJunit(oddFiles, oddProblems), problemJunit(['a.yaml'], []), problemJunit([], [])];
  expect(await junitProblems(...reports)).toEqual([]);
});
