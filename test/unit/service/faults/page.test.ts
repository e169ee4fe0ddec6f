// The chapters on faults and the admin port of the emulator's page agree with the source.
import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { decodeFaultScript } from '../../../../src/service/faults/decode-script.ts';
import { faultRoutes, routesOfFault } from '../../../../src/service/faults/fault-routes.ts';

const page = await readFile(new URL('../../../../deploy/reference/emulator.md', import.meta.url), 'utf8');
const section = /^## Faults on demand$([^]*)/m.exec(page)?.[1] ?? '';

test('the table of faults has each of the source, with its routes', () => {
  const rows = [...section.matchAll(/^\| `(\w+)` \| .* \| .* \| (.*) \|$/gm)].map((row) => row.slice(1));
  const expected = Object.entries(routesOfFault).map(([name, routes]) => {
    const where = routes.length === faultRoutes.length ? 'all' : routes.map((route) => `\`${route}\``).join(', ');
    return [name, where];
  });
  expect(rows).toEqual(expected);
});

test('the script that is shown is one', () => {
  const text = /^```yaml faults$([^]*?)^```$/m.exec(section)?.[1] ?? '';
  const { value: script, problems } = decodeFaultScript(parse(text));
  expect(problems).toEqual([]);
  expect([script?.seed, script?.rules.map(({ fault }) => fault.kind)]).toEqual([
    42,
    ['status', 'latency', 'loseReply'],
  ]);
});

test('the script that a command sends is one', () => {
  const sent = [...section.matchAll(/ -d '(.*)'$/gm)].map(([, text = '']) => decodeFaultScript(JSON.parse(text)));
  expect(sent.map(({ problems }) => problems)).toEqual([[]]);
});
