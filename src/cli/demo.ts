// `rolealerts demo`: the story with a live table in a terminal, or unattended with plain lines.
import { demoOptions } from '../config/local-options.ts';
import { sleep, systemClock } from '../lib/clock.ts';
import { keepProcessAlive } from '../lib/keep-process-alive.ts';
import { demoNamespace } from '../local/demo/manifests.ts';
import { nextSteps, renderNextSteps } from '../local/demo/next-steps.ts';
import { attackedSample } from '../local/demo/samples.ts';
import { playStory } from '../local/demo/story.ts';
import { createTimeFormat, renderEntry } from '../local/demo/timeline.ts';
import { createProgress } from '../local/progress.ts';
import { defineCommand } from './command.ts';
import { alertURL, createScene } from './demo-scene.ts';
import { startScreen } from './demo-screen.ts';
import { type Stage, startStage } from './demo-stage.ts';
import type { Host } from './host.ts';

export const demoCommand = defineCommand({
  name: 'demo',
  sentence: 'A control plane, the alerts service, the operator and sample policies: watch them converge.',
  more: 'Everything ends with the demo. Without a terminal it is the same as --once.',
  options: demoOptions,
  run: ({ once }, host) => keepProcessAlive(() => runDemo(once || !host.out.isTerminal ? playOnce : playLive, host)),
});

type Play = (stage: Stage, host: Host) => Promise<number>;

const storyStepWithinMs = 60_000;
const livePaceMs = 3000;
const checkEveryMs = 500;

async function runDemo(play: Play, host: Host): Promise<number> {
  const progress = createProgress({
    clock: systemClock,
    isTerminal: host.out.isTerminal,
    write: (text) => host.out.write(text),
  });
  let exitCode = 1;
  try {
    const stage = await startStage(host, progress);
    try {
      exitCode = await play(stage, host);
    } finally {
      progress.print('Ending the operator, the alerts service and the control plane …');
      await stage.stop();
    }
  } catch (error) {
    // That something was broken off is no news to whoever did it.
    if (!host.stopping.aborted) throw error;
  }
  progress.print(host.stopping.aborted ? 'The demo was stopped; nothing is left running.' : 'Nothing is left running.');
  return exitCode;
}

/** 0 only when the story went to its end and every sample was as expected. */
async function playOnce(stage: Stage, host: Host): Promise<number> {
  const print = (line: string) => host.out.write(`${line}\n`);
  const found = await playStory({ ...storyOf(stage, host), say: print, paceMs: 0 });
  if (host.stopping.aborted) return 1;
  const timeOf = createTimeFormat(undefined);
  print('\nWhat happened:');
  for (const entry of stage.watch.entries()) print(renderEntry(entry, timeOf));
  print(`\n$ kubectl -n ${demoNamespace} get rolealertpolicies`);
  print(await stage.kubectl(['get', 'rolealertpolicies']));
  printDifferences(found, print);
  return found.length === 0 ? 0 : 1;
}

/** 0 when it is ended from the keyboard, unless the story had failed. */
async function playLive(stage: Stage, host: Host): Promise<number> {
  const screen = startScreen(stage.watch, host.out);
  const print = (line: string) => screen.print(line);
  try {
    const found = await playStory({ ...storyOf(stage, host), say: print, paceMs: livePaceMs });
    if (host.stopping.aborted) return 0;
    printDifferences(found, print);
    for (const line of renderNextSteps(stepsOf(stage))) print(line);
    while (!host.stopping.aborted) {
      await stage.operator.check();
      await sleep(systemClock, checkEveryMs, host.stopping);
    }
    return found.length === 0 ? 0 : 1;
  } finally {
    screen.stop();
  }
}

function storyOf(stage: Stage, host: Host) {
  return { scene: createScene(stage), clock: systemClock, signal: host.stopping, withinMs: storyStepWithinMs };
}

function printDifferences(found: readonly string[], print: (line: string) => void): void {
  if (found.length === 0) print('Every sample is as expected.');
  else print(`Not as expected after ${storyStepWithinMs / 1000} s:\n${found.map((line) => `  ${line}`).join('\n')}`);
}

function stepsOf({ plane, service }: Stage) {
  const { kubectlPath, kubeconfigPath } = plane;
  const url = alertURL(service.url, attackedSample);
  return nextSteps({ kubectlPath, kubeconfigPath, token: service.token, alertURL: url });
}
