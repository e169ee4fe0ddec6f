// Runs the demo: starts its environment, plays the scenario with a live table or with plain lines, and stops everything.
import { sleep, systemClock } from '../../lib/clock.ts';
import { wrapText } from '../../lib/wrap.ts';
import { connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import { createProgress } from '../progress.ts';
import type { DemoHost } from './demo-host.ts';
import { type DemoEnvironment, startEnvironment } from './environment.ts';
import { followRequests } from './handled-requests.ts';
import { offerNextSteps, startKubectlSearch } from './kubectl-search.ts';
import { demoNamespace } from './manifests.ts';
import { metricsLines } from './metrics-lines.ts';
import { attackedSample } from './scenario-samples.ts';
import { playScenario } from './scenario.ts';
import { startScreen } from './screen.ts';
import { createTimeFormat, renderTimeline } from './timeline.ts';
import { alertURL, createActions } from './user-actions.ts';

type Play = (environment: DemoEnvironment, host: DemoHost) => Promise<number>;

const stepWithinMs = 60_000;
const livePaceMs = 3000;
const checkEveryMs = 500;

export async function runDemo(play: Play, host: DemoHost): Promise<number> {
  const progress = createProgress({
    clock: systemClock,
    canRedraw: host.out.canRedraw,
    write: (text) => host.out.write(text),
  });
  let exitCode = 1;
  try {
    const environment = await startEnvironment(host, progress);
    try {
      exitCode = await play(environment, host);
    } finally {
      progress.print('Stopping the operator, the alerts service and the control plane …');
      await environment.stop();
    }
  } catch (error) {
    // Ignore errors after the user stopped the demo.
    if (!host.stopping.aborted) throw error;
  }
  progress.print(host.stopping.aborted ? 'The demo was stopped; nothing is left running.' : 'Nothing is left running.');
  return exitCode;
}

/** Plain lines. Resolves with 0 only when the scenario completed and every sample was as expected. */
export async function playOnce(environment: DemoEnvironment, host: DemoHost): Promise<number> {
  const print = (line: string) => host.out.write(`${line}\n`);
  const columns = host.out.isTerminal ? host.out.columns : Infinity;
  const say = sayIn(() => columns, print);
  const found = await playScenario({ ...scenarioOf(environment, host), say, paceMs: 0 });
  if (host.stopping.aborted) return 1;
  await printReport(environment, columns, print);
  printDifferences(found, print);
  return found.length === 0 ? 0 : 1;
}

/** Prints text in lines that fit; those after the first of an indented text are indented further. */
function sayIn(columns: () => number, print: (line: string) => void): (text: string) => void {
  return (text) => wrapText(text, columns(), text.startsWith(' ') ? '    ' : '').forEach(print);
}

/** What the four sources say: events, objects, the register of dismissals, and metrics. */
async function printReport(
  { watch, cluster, operator }: DemoEnvironment,
  columns: number,
  print: (line: string) => void,
): Promise<void> {
  const timeOf = createTimeFormat(undefined);
  print(`\nWhat happened, from the events that kubectl -n ${demoNamespace} get events shows:`);
  for (const line of renderTimeline(watch.entries(), { lines: Infinity, columns }, timeOf)) print(line);
  for (const resource of [policyResource, connectionResource]) {
    print(`\nWhat kubectl -n ${demoNamespace} get ${resource.plural} shows:`);
    print((await cluster.table(resource, demoNamespace)).trimEnd());
  }
  print('A dismissal that has ended stays in the register for at least two minutes.\n');
  for (const line of await renderMetrics(operator)) print(line);
  print('');
}

async function renderMetrics(operator: DemoEnvironment['operator']): Promise<readonly string[]> {
  const url = await operator.metricsURL();
  return url === undefined ? [] : metricsLines(url);
}

/** The live table. Resolves with 0 when the user stops it, unless the scenario failed. */
export async function playLive(environment: DemoEnvironment, host: DemoHost): Promise<number> {
  const screen = startScreen(environment.watch, host.out);
  const print = (line: string) => screen.print(line);
  const say = sayIn(() => host.out.columns, print);
  const kubectl = startKubectlSearch(environment, screen.progress);
  try {
    const found = await playScenario({ ...scenarioOf(environment, host), say, paceMs: livePaceMs });
    if (host.stopping.aborted) return 0;
    printDifferences(found, print);
    for (const line of ['', ...(await renderMetrics(environment.operator))]) print(line);
    const reportRequests = followRequests(environment.watch, print);
    const steps = offerNextSteps(accessOf(environment), () => kubectl.outcome(), print);
    while (!host.stopping.aborted) {
      steps.update();
      reportRequests();
      await environment.operator.check();
      await sleep(systemClock, checkEveryMs, host.stopping);
    }
    return found.length === 0 ? 0 : 1;
  } finally {
    await kubectl.stop();
    screen.stop();
  }
}

function scenarioOf(environment: DemoEnvironment, host: DemoHost) {
  return { actions: createActions(environment), clock: systemClock, signal: host.stopping, withinMs: stepWithinMs };
}

function printDifferences(found: readonly string[], print: (line: string) => void): void {
  if (found.length === 0) print('Every sample is as expected.');
  else print(`Not as expected after ${stepWithinMs / 1000} s:\n${found.map((line) => `  ${line}`).join('\n')}`);
}

function accessOf({ controlPlane: { kubeconfigPath }, service }: DemoEnvironment) {
  return { kubeconfigPath, token: service.token, alertURL: alertURL(service.url, attackedSample) };
}
