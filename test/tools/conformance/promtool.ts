// `npm run check:metrics`: checks the metrics of the operator, the alerting rules and the queries of the dashboard with promtool, the linter of
// Prometheus. It builds promtool from Go modules (promtool/go.mod), which takes minutes once, so it is not part of `npm test`.
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse, stringify } from 'yaml';

import { runCommand } from '../../../src/local/run-command.ts';
import { MetricsRig } from '../../support/rigs/metrics-rig.ts';
import { buildGoTool } from './go-tool.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.rolealerts', 'promtool');
const promtool = join(folder, 'promtool');
const rulesTest = join(folder, 'rules.test.yaml');
const checkWithinMs = 60_000;

/** Prints what promtool says. True when it found nothing. */
async function check(what: string, args: readonly string[], input: string): Promise<boolean> {
  const { exitCode, stdout, stderr } = await runCommand(promtool, args, {
    environment: process.env,
    input,
    deadlineMs: checkWithinMs,
  });
  console.log(`promtool ${args.join(' ')}, ${what}: ${exitCode === 0 ? 'no findings' : `exit code ${exitCode}`}`);
  if (exitCode !== 0) console.log(`${stdout}${stderr}`);
  return exitCode === 0;
}

/** Writes the groups of the PrometheusRule, which Prometheus itself reads, beside their tests. */
async function writeRules(): Promise<string> {
  const manifest = parse(await readFile(join(root, 'deploy', 'monitoring', 'rules.yaml'), 'utf8')) as { spec: object };
  const text = stringify(manifest.spec);
  await writeFile(join(folder, 'rules.yaml'), text);
  await copyFile(join(root, 'test', 'tools', 'conformance', 'promtool', 'rules.test.yaml'), rulesTest);
  return text;
}

/** The queries of the dashboard as rules, with a value for each variable of Grafana. */
async function dashboardQueries(): Promise<string> {
  const text = await readFile(join(root, 'deploy', 'monitoring', 'dashboard.json'), 'utf8');
  const { panels } = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] };
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const rules = queries.map((expr, index) => ({
    record: `panel:query:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', '.*'),
  }));
  return stringify({ groups: [{ name: 'dashboard', rules }] });
}

const rig = new MetricsRig(true);
rig.addEverything();
await buildGoTool('promtool', 'github.com/prometheus/prometheus/cmd/promtool', promtool);
const rules = await writeRules();
const results = [
  await check('every metric with a series', ['check', 'metrics'], await rig.text()),
  await check('the alerting rules', ['check', 'rules'], rules),
  await check('the queries of the dashboard', ['check', 'rules'], await dashboardQueries()),
  await check('the tests of the alerting rules', ['test', 'rules', rulesTest], ''),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
