import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { serviceErrors } from '../../../src/service/service-errors.ts';
import { serviceDefaults } from '../../../src/service/service-options.ts';

const readme = await readFile(new URL('../../../src/service/README.md', import.meta.url), 'utf8');

test('the table of errors is the one in the source', () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.*) \|$/gm)].map(([, code, status, when]) => [
    code,
    Number(status),
    when,
  ]);
  expect(rows).toEqual(Object.entries(serviceErrors).map(([code, { status, when }]) => [code, status, when]));
});

test('the defaults are those in the source', () => {
  expect(readme).toMatch(new RegExp(`^\\| \`--page-size N\` .* \\| ${serviceDefaults.pageSize} \\|$`, 'm'));
  expect(readme).toMatch(
    new RegExp(`^\\| \`--provider-namespace NS\` .* \\| \`${serviceDefaults.providerNamespace}\` \\|$`, 'm'),
  );
  expect(readme).toContain(`\`${serviceDefaults.apiVersion}\``);
});
