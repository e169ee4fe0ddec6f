// Generates the tables of the reference pages from the source: options, reasons, metrics. `npm run generate` writes them
// between their markers.
import { controllerOptions } from '../src/config/controller-options.ts';
import { loginOptions } from '../src/config/login-options.ts';
import { environmentName, type Options } from '../src/config/option.ts';
import { serveOptions } from '../src/config/serve-options.ts';
import { connectionRows, eventRows, policyRows, type ReasonRow } from '../test/support/reasons/rows.ts';
import { describeOperatorMetrics } from './metrics.ts';

/** The pages with generated tables, from the root of the checkout. */
export const generatedPages = ['conditions', 'command-line', 'metrics'].map((name) => `deploy/reference/${name}.md`);

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
  return new Map([
    ['controller-options', optionTable(controllerOptions)],
    ['serve-options', optionTable(serveOptions)],
    ['login-options', optionTable(loginOptions)],
    ['policy-reasons', reasonTable(await policyRows())],
    ['connection-reasons', reasonTable(connectionRows())],
    ['event-reasons', reasonTable(await eventRows())],
    ['metrics', metricTable()],
  ]);
}

function optionTable(options: Options): string {
  const rows = Object.values(options).map(({ flag, placeholder, defaultText, description, isSwitch }) => {
    const value = (isSwitch ? `[=${placeholder}]` : ` ${placeholder}`).replaceAll('|', '\\|');
    return [`\`--${flag}${value}\``, defaultText ?? '', description, `\`${environmentName(flag)}\``];
  });
  return table(['flag', 'default', 'meaning', 'environment'], rows);
}

function reasonTable(rows: readonly ReasonRow[]): string {
  const head = ['reason', 'message, by an example', 'more', 'conditions', 'event', 'log', 'metric'];
  const cells = rows.map(({ reason, message, more, conditions, event, log, metric }) => {
    return [`\`${reason}\``, message, more, conditions, event, log, metric];
  });
  return table(head, cells);
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
