// Runs the demo: starts its environment, plays the scenario with a live table or with plain lines, and stops everything.
import { sleep, systemClock } from '../../lib/clock.ts';
import { LocalError } from '../../lib/command-errors.ts';
import { booleanOf, objectOf } from '../../lib/json-shape.ts';
import { wrapText } from '../../lib/terminal-text.ts';
import { type DemoEnvironment, type DemoHost, startEnvironment } from './environment.ts';
import { demoIncidents, demoNamespace } from './manifests.ts';
import { alertURL, deactivationBody, renderNextSteps } from './next-steps.ts';
import { type DemoActions, playScenario } from './scenario.ts';
import { renderTable, startScreen, tableRows } from './screen.ts';
import { createTimeFormat, renderTimeline } from './timeline.ts';

type Play = (environment: DemoEnvironment, host: DemoHost) => Promise<number>;

const stepWithinMs = 60_000;
const patchWithinMs = 10_000;
const livePaceMs = 3000;
const checkEveryMs = 500;

export async function runDemo(play: Play, host: DemoHost): Promise<number> {
  const print = (line: string) => host.out.write(`${line}\n`);
  let exitCode = 1;
  try {
    const environment = await startEnvironment(host, print);
    try {
      exitCode = await play(environment, host);
    } finally {
      print('Stopping the operator, the alerts service and the control plane …');
      await environment.stop();
    }
  } catch (error) {
    // Ignore errors after the user stopped the demo.
    if (!host.stopping.aborted) throw error;
  }
  print(host.stopping.aborted ? 'The demo was stopped; nothing is left running.' : 'Nothing is left running.');
  return exitCode;
}

/** Plain lines. Resolves with 0 only when the scenario completed and every sample was as expected. */
export async function playOnce(environment: DemoEnvironment, host: DemoHost): Promise<number> {
  const print = (line: string) => host.out.write(`${line}\n`);
  const columns = host.out.isTerminal ? host.out.columns : Infinity;
  const found = await play(environment, host, print, () => columns, 0);
  if (host.stopping.aborted) return 1;
  printReport(environment, columns, print);
  printDifferences(found, print);
  return found.length === 0 ? 0 : 1;
}

/** The live table. Resolves with 0 when the user stops it, unless the scenario failed. */
export async function playLive(environment: DemoEnvironment, host: DemoHost): Promise<number> {
  const { watch, operator, service, kubeconfigPath, kubectl } = environment;
  const screen = startScreen(watch, host.out);
  const print = (line: string) => screen.print(line);
  try {
    const found = await play(environment, host, print, () => host.out.columns, livePaceMs);
    if (host.stopping.aborted) return 0;
    printDifferences(found, print);
    const { program } = host;
    const access = { program, kubectl, kubeconfigPath, serviceURL: service.url, token: service.token };
    for (const line of renderNextSteps(access)) print(line);
    while (!host.stopping.aborted) {
      await operator.check();
      await sleep(systemClock, checkEveryMs, host.stopping);
    }
    return found.length === 0 ? 0 : 1;
  } finally {
    screen.stop();
  }
}

/** Plays the scenario. Prints its sentences in lines that fit; those after the first of an indented text are indented further. */
function play(
  environment: DemoEnvironment,
  { stopping: signal }: DemoHost,
  print: (line: string) => void,
  columns: () => number,
  paceMs: number,
): Promise<readonly string[]> {
  const say = (text: string) => wrapText(text, columns(), text.startsWith(' ') ? '    ' : '').forEach(print);
  const actions = createActions(environment);
  return playScenario({ actions, clock: systemClock, signal, withinMs: stepWithinMs, say, paceMs });
}

/** The scenario's observations and actions in the running demo. */
function createActions({ watch, service, operator }: DemoEnvironment): DemoActions {
  return {
    async seen({ name, scope, alert }) {
      const { isActive } = objectOf((await service.alerts.readAlert(scope, alert))?.['properties']);
      return {
        policy: watch.policy(name),
        isActive: booleanOf(isActive),
        events: watch.entries().flatMap(({ object, reason }) => (object === name ? [reason] : [])),
      };
    },
    async deactivate(sample) {
      const { status, body } = await fetch(alertURL(service.url, sample), {
        method: 'PATCH',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: deactivationBody,
        signal: AbortSignal.timeout(patchWithinMs),
      });
      await body?.cancel();
      if (status !== 204) throw new LocalError(`The alerts service responded with ${status} instead of 204`);
    },
    findIncidents: ({ scope, alert }, ids) => service.alerts.replaceIncidents(scope, alert, demoIncidents(alert, ids)),
    check: () => operator.check(),
  };
}

/** The events, and the table as the live demo shows it. */
function printReport({ watch }: DemoEnvironment, columns: number, print: (line: string) => void): void {
  const timeOf = createTimeFormat(undefined);
  print(`\nWhat happened, from the events that kubectl -n ${demoNamespace} get events shows:`);
  renderTimeline(watch.entries(), { lines: Infinity, columns }, timeOf).forEach(print);
  print('\nThe policies at the end:');
  [...renderTable(tableRows(watch), columns, timeOf), ''].forEach(print);
}

function printDifferences(found: readonly string[], print: (line: string) => void): void {
  if (found.length === 0) print('Every sample is as expected.');
  else print(`Not as expected after ${stepWithinMs / 1000} s:\n${found.map((line) => `  ${line}`).join('\n')}`);
}
