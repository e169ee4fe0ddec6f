// Generates the tables of the reference pages from the source: options, reasons, metrics. `npm run generate` writes them between their
// markers.
import { readFile } from 'node:fs/promises';

import { parse } from 'yaml';

import { exitCodes, exitMeanings } from '../src/commands/exit-codes.ts';
import { proxyVariables, type Variable } from '../src/commands/options/proxy-variables.ts';
import { commands } from '../src/commands/program.ts';
import { parseDuration } from '../src/lib/duration.ts';
import { type Options, variableOf } from '../src/lib/options/option.ts';
import { capacityOf } from '../src/operator/report/capacity.ts';
import { capacityRows, connectionRows, eventRows, policyRows, type ReasonRow } from '../test/support/reasons/rows.ts';
import { describeOperatorMetrics } from './metrics.ts';

/** The pages with generated tables, from the root of the checkout. */
export const generatedPages = [
  ...['alerts-service', 'conditions', 'command-line', 'metrics', 'sizing'].map((name) => `deploy/reference/${name}.md`),
  'deploy/runbook.md',
];

/** Replaces every table between `<!-- table: NAME -->` and `<!-- end -->` in `text`. */
export async function fillTables(text: string): Promise<string> {
  const tables = await renderTables();
  return text.replace(
    /(<!-- table: ([a-z-]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const table = tables.get(name);
      if (table === undefined) throw new Error(`there is no table ${name}`);
      return `${start}\n${table}\n${end}`;
    },
  );
}

async function renderTables(): Promise<ReadonlyMap<string, string>> {
  const ofPolicies = await policyRows();
  const ofConnections = [...connectionRows(), ...capacityRows()];
  const ofEvents = await eventRows();
  return new Map([
    ['exit-codes', table(['exit code', 'meaning'], exitRows())],
    ...(await optionTables()),
    ['proxy-variables', variableTable(proxyVariables)],
    ['policy-reasons', reasonTable(ofPolicies)],
    ['connection-reasons', reasonTable(ofConnections)],
    ['event-reasons', eventTable(ofEvents)],
    ['reasons', reasonSections([...ofPolicies, ...ofConnections, ...ofEvents])],
    ['metrics', metricTable()],
    ['sizing', sizingTable(await defaultRequestsPerHour())],
  ]);
}

/**
 * A table for each command, `NAME-options`, or `GROUP-NAME-options` in a group such as `local`, and `common-options` with what several
 * commands have alike. A server has all of its options in one table.
 */
async function optionTables(): Promise<readonly (readonly [string, string])[]> {
  const groups = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => ({ name, specs: await load() })),
  );
  const specs = groups.flatMap(({ name, specs }) =>
    specs.map((spec) => ({ ...spec, table: `${specs.length > 1 ? `${name}-` : ''}${spec.name}-options` })),
  );
  const ofUsers = specs.filter(({ table }) => !withoutShare.has(table)).flatMap(({ options }) => optionRows(options));
  const byRow = Map.groupBy(ofUsers, (row) => row.join('\n'));
  const common = new Map([...byRow].filter(([, rows]) => rows.length >= leastCommands));
  const tables = specs.map(({ name, options, table }): readonly [string, string] => {
    const rows = optionRows(options);
    return [table, servers.has(name) ? flagTable(rows) : optionTable(rows, new Set(common.keys()))];
  });
  return [...tables, ['common-options', flagTable([...common.values()].map(([row = []]) => row))]];
}

const servers: ReadonlySet<string> = new Set(['controller', 'serve']);
/** Servers, and commands that the page describes together with another one. */
const withoutShare: ReadonlySet<string> = new Set([
  ...['controller', 'serve', 'reconcile', 'resume'].map((name) => `${name}-options`),
  ...['up', 'down', 'status'].map((name) => `local-${name}-options`),
]);
/** So many commands make an option a common one. */
const leastCommands = 2;

function exitRows(): readonly (readonly string[])[] {
  const names = ['success', 'failed', 'remains', 'usage'] as const;
  return names.map((name) => [String(exitCodes[name]), exitMeanings[name]]);
}

function optionRows(options: Options): readonly (readonly string[])[] {
  return Object.values(options).map((option) => {
    const { flag, letter, placeholder, defaultText, description, isSwitch } = option;
    const value = isSwitch ? '' : ` ${placeholder.replaceAll('|', '\\|')}`;
    const short = letter === undefined ? '' : `-${letter}, `;
    const meaning = variableOf(option) === undefined ? `${description} (flag only)` : description;
    return [`\`${short}--${flag}${value}\``, defaultText ?? '', meaning];
  });
}

function flagTable(rows: readonly (readonly string[])[]): string {
  return table(['flag', 'default', 'meaning'], rows);
}

/** The rows of the command's own options, and the names of the common ones. */
function optionTable(rows: readonly (readonly string[])[], common: ReadonlySet<string>): string {
  const isCommon = (row: readonly string[]) => common.has(row.join('\n'));
  const names = rows.filter(isCommon).map(([flag = '']) => `\`${/--[a-z-]+/.exec(flag)?.[0] ?? ''}\``);
  const own = rows.filter((row) => !isCommon(row));
  const more = names.length === 0 ? [] : [`Of the common options: ${names.join(', ')}.\n`];
  return [...(own.length === 0 ? [] : [flagTable(own)]), ...more].join('\n');
}

function variableTable(variables: Readonly<Record<string, Variable>>): string {
  const rows = Object.values(variables).map(({ names, description }) => [
    names.map((name) => `\`${name}\``).join(', '),
    description,
  ]);
  return table(['variable', 'meaning'], rows);
}

/** Where each reason appears. */
function reasonTable(rows: readonly ReasonRow[]): string {
  const cells = rows.map(({ reason, conditions, event }) => [`\`${reason}\``, conditions, shortOf(event)]);
  return table(['reason', 'conditions', 'event'], cells);
}

/** Without why there is none. */
function shortOf(cell: string): string {
  return cell.startsWith('none, because ') ? 'none' : cell;
}

/** Their metrics differ; those of conditions have the reason as a label. */
function eventTable(rows: readonly ReasonRow[]): string {
  const cells = rows.map(({ reason, conditions, event, metric }) => [`\`${reason}\``, conditions, event, metric]);
  return table(['reason', 'where the state shows', 'event', 'metric'], cells);
}

/** A section for each reason in the runbook: what it says, and what to do. */
function reasonSections(rows: readonly ReasonRow[]): string {
  const sections = rows.map(({ reason, message, more }) => {
    return [reason, `### ${reason}\n\n> ${message}\n${more === '' ? '' : `\n${more}\n`}`] as const;
  });
  // Policies and connections share one reason, with one meaning: its first row has an object to name.
  return [...new Map(sections.toReversed()).values()].toReversed().join('\n');
}

function metricTable(): string {
  const metrics = describeOperatorMetrics();
  const rows = metrics
    .filter(({ name }) => !/^(process|nodejs)_/.test(name))
    .map(({ name, type, labels, help }) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(' '),
      help,
    ]);
  return table(['metric', 'type', 'labels', 'meaning'], rows);
}

const intervals = ['5m', '15m', '1h'];
const scopeCounts = [100, 500, 1000, 2000, 5000, 10_000];
/** Scopes that drift within an hour, of a hundred. */
const driftShares = [0, 10, 100];

/** One row for each number of scopes and interval, with lists of one page and the default rate limit. A correction costs a PATCH and a list. */
function sizingTable(requestsPerHour: number): string {
  const head = [
    'scopes',
    'interval',
    ...driftShares.map((percent) => `requests an hour, ${percent} % drift`),
    'Capacity',
  ];
  const rows = scopeCounts.flatMap((scopes) =>
    intervals.map((interval) => {
      const loads = [{ intervalMs: parseDuration(interval) ?? 0, requests: scopes }];
      const { status, facts } = capacityOf(loads, requestsPerHour);
      const hourly = driftShares.map((percent) => String(facts.needed + (2 * scopes * percent) / 100));
      const capacity = status === 'True' ? status : `False: ${facts.fittingInterval} fits`;
      return [String(scopes), interval].concat(hourly, capacity);
    }),
  );
  return table(head, rows);
}

/** As the API server sets it for a connection without `limits`. */
async function defaultRequestsPerHour(): Promise<number> {
  const crd = parse(
    await readFile(new URL('../crds/rolealerts.dev_rolealertconnections.yaml', import.meta.url), 'utf8'),
  );
  const { properties } = crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.limits;
  return properties.requestsPerHour.default;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
