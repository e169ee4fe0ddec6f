// `rolealerts demo`: the story with a live table in a terminal, or unattended with plain lines.
import { demoOptions } from '../config/local-options.ts';
import { systemClock } from '../lib/clock.ts';
import { isOperatorError } from '../lib/errors.ts';
import { attacked, demoNamespace, samples } from '../local/demo/samples.ts';
import { type NextSteps, renderEntry } from '../local/demo/table.ts';
import { defineCommand } from './command.ts';
import { drawWhile } from './demo-screen.ts';
import { type Stage, startStage } from './demo-stage.ts';
import { alertURL, playStory, turnOffBody } from './demo-story.ts';
import { type Host, untilStopped } from './host.ts';

export const demoCommand = defineCommand({
  name: 'demo',
  sentence: 'A control plane, the alerts service, the operator and sample policies: watch them converge.',
  more: 'Everything ends with the demo. Without a terminal it is the same as --once.',
  options: demoOptions,
  async run({ once }, host) {
    try {
      const stage = await startStage(host);
      try {
        return await (once || !host.out.isTerminal ? playOnce(stage, host) : playLive(stage, host));
      } finally {
        await stage.stop();
      }
    } catch (error) {
      if (isOperatorError(error, 'stopped')) return 1;
      throw error;
    }
  },
});

async function playOnce(stage: Stage, host: Host): Promise<number> {
  const print = (line: string) => host.out.write(`${line}\n`);
  const end = await playStory(stage, systemClock, print, host.stopping);
  print('\nevents:');
  for (const entry of stage.events()) print(`  ${renderEntry(entry)}`);
  print(`\n$ kubectl -n ${demoNamespace} get rolealertpolicies`);
  host.out.write(await stage.kubectl('-n', demoNamespace, 'get', 'rolealertpolicies'));
  if (host.stopping.aborted) return 1;
  if (end.length === 0) {
    print('\nevery sample is as expected');
    return 0;
  }
  print('\nnot as expected:');
  for (const difference of end) print(`  ${difference}`);
  return 1;
}

async function playLive(stage: Stage, host: Host): Promise<number> {
  let step = '';
  const screen = drawWhile(stage, host, () => step, nextSteps(stage));
  try {
    const end = await playStory(stage, systemClock, (line) => (step = line), host.stopping);
    step = end.length === 0 ? 'the story is over; the operator goes on. Ctrl-C ends everything.' : end.join('; ');
    await untilStopped(host.stopping);
    return end.length === 0 ? 0 : 1;
  } finally {
    screen.stop();
  }
}

function nextSteps(stage: Stage): NextSteps {
  const kubectl = `${stage.plane.kubectlPath} --kubeconfig ${stage.plane.kubeconfigPath} -n ${demoNamespace}`;
  const target = samples.find(({ name }) => name === attacked) ?? samples[0];
  const url = target ? alertURL(stage, target) : '';
  const headers = `-H 'authorization: Bearer ${stage.token}' -H 'content-type: application/json'`;
  return {
    kubectl: `${kubectl} describe rolealertpolicy ${attacked}`,
    curl: `curl -i -X PATCH ${headers} -d '${turnOffBody}' '${url}'`,
    poke: `${kubectl} annotate rolealertpolicy ${attacked} --overwrite rolealerts.dev/requestedAt="$(date)"`,
  };
}
