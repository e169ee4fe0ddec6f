// The examples of the service's page are files that can be used, and its defaults are those of the source.
import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { parseDocument } from '../../../../src/service/config-files/read.ts';
import { decodeAssignments } from '../../../../src/service/scanner/assignment-file.ts';
import { defaultThresholds } from '../../../../src/service/scanner/kinds.ts';
import { decodeScannerConfiguration, scannerDefaults } from '../../../../src/service/scanner/scanner-file.ts';

const page = await readFile(new URL('../../../../deploy/reference/alerts-service.md', import.meta.url), 'utf8');
const examples = (what: string) =>
  [...page.matchAll(/^```yaml (\w+)\n(.*?)^```$/gms)]
    .filter(([, kind]) => kind === what)
    .map(([, , text = '']) => parseDocument('example', text, 'alerts-service.md'));

test('the configurations can be used, and name the defaults', () => {
  const [fromFile, fromCluster] = examples('scanner').map((each) =>
    decodeScannerConfiguration(each, 'alerts-service.md'),
  );
  expect(fromFile).toMatchObject({
    intervalMs: 300_000,
    thresholds: defaultThresholds,
    source: { owners: scannerDefaults.fileOwners },
  });
  const { interval: _, fileOwners: __, ...clusterDefaults } = scannerDefaults;
  expect(fromCluster?.source).toMatchObject(clusterDefaults);
});

test('the assignments can be used', () => {
  const [document] = examples('assignments');
  const [facts] = decodeAssignments(document, 'alerts-service.md', scannerDefaults.fileOwners);
  expect(facts?.assignments).toMatchObject([{ isOwner: true, isOutside: true }]);
});
