// The pages about the service agree with its source.
import { readdir, readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { parseDocument } from '../../../src/service/config-files/read.ts';
import { decodeRegistrations } from '../../../src/service/config-files/registrations-file.ts';
import { decodeFaultScript } from '../../../src/service/faults/decode-script.ts';
import { faultRoutes, routesOfFault } from '../../../src/service/faults/fault-routes.ts';
import { serviceLimits } from '../../../src/service/http/limits.ts';
import { serviceErrors } from '../../../src/service/http/service-errors.ts';
import { openAPIText } from '../../../src/service/openapi.ts';
import { createServiceMetrics } from '../../../src/service/run/service-metrics.ts';
import { decodeAssignments } from '../../../src/service/scanner/assignment-file.ts';
import { defaultThresholds } from '../../../src/service/scanner/kinds.ts';
import { decodeScannerConfiguration, scannerDefaults } from '../../../src/service/scanner/scanner-file.ts';
import { serviceDefaults } from '../../../src/service/service-options.ts';
import { handClock } from '../../support/servers/alerts-service.ts';

const page = await readFile(new URL('../../../deploy/reference/alerts-service.md', import.meta.url), 'utf8');
const emulatorPage = await readFile(new URL('../../../deploy/reference/emulator.md', import.meta.url), 'utf8');

test('the table of errors is the one in the source', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.*) \|$/gm)].map(([, code, status, when]) => [
    code,
    Number(status),
    when,
  ]);
  expect(rows.map(([code, status]) => [code, status])).toEqual(Object.entries(serviceErrors));
  const description = openAPIText({ serverURL: '', authURL: '', ...serviceDefaults });
  const described = rows.filter(([code]) => code !== 'RouteNotFound').map(([code, , when]) => `\`${code}\`: ${when}.`);
  expect(described.filter((sentence) => !description.includes(sentence))).toEqual([]);
});

test('the choices name the version that the service supports', async () => {
  const choices = await readFile(new URL('../../../src/service/README.md', import.meta.url), 'utf8');
  expect(choices).toContain(`\`${serviceDefaults.apiVersion}\``);
});

test('the table of metrics is the one in the source', async () => {
  const { registry } = createServiceMetrics(handClock());
  const metrics = (await registry.getMetricsAsJSON()).filter(({ name }) => !/^(process|nodejs)_/.test(name));
  const rows = [...page.matchAll(/^\| `(rolealerts_\w+)` \| (\w+) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
  expect(rows).toEqual(metrics.map(({ name, type, help }) => [name, String(type), help]));
});

test('the values of the limits are those in the source', () => {
  const rows = [...page.matchAll(/^\| `(\w+)`[^|]* \| (\d+)( s)? \|/gm)];
  const values = rows.map(([, name = '', value, seconds]) => [
    name,
    Number(value) * (seconds === undefined ? 1 : 1000),
  ]);
  const limits = values.filter(([name]) => name !== undefined && name in serviceLimits);
  expect(Object.fromEntries(limits)).toEqual(serviceLimits);
});

test('the table of the log has every warning and error of the source, and no other message', async () => {
  const [, table = ''] = /^## Log\n([\s\S]*?)^## /m.exec(page) ?? [];
  const documented = [...table.matchAll(/^\| (.*?) \| (?:warn|error) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
  );
  const root = new URL('../../../src/', import.meta.url);
  const folders = ['service/', 'commands/'].map((folder) => new URL(folder, root));
  const listed = folders.map(async (folder) =>
    (await readdir(folder, { recursive: true }))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => new URL(file, folder)),
  );
  const texts = await Promise.all((await Promise.all(listed)).flat().map((file) => readFile(file, 'utf8')));
  const source = texts.join('\n');
  expect(documented.filter((message) => !source.includes(`'${message}'`))).toEqual([]);
  const logged = [...source.matchAll(/\blog\??\.(?:warn|error)\((?:[^;']|'[a-z-]+')*?'([^']+ [^']+)'/g)].map(
    ([, message = '']) => message,
  );
  expect(logged.length).toBeGreaterThan(15);
  expect(logged.filter((message) => !documented.includes(message))).toEqual([]);
});

test('the registrations that it shows can be read', async () => {
  const [, text = ''] = /^```yaml registrations\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const { clients, users } = await decodeRegistrations(parseDocument('registrations', text, 'r'), 'r', async () => 's');
  expect([clients.map(({ id }) => id), users.map(({ name }) => name)]).toEqual([
    ['operator', 'pipeline', 'cluster', 'portal'],
    ['ada'],
  ]);
});

const section = /^## Faults on demand$([^]*)/m.exec(emulatorPage)?.[1] ?? '';

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
