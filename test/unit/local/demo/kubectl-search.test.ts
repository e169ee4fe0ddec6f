// The commands to try: those that work are printed at once, those that need kubectl once it is there.
import { describe, expect, it } from 'vitest';

import { renderServerTable } from '../../../../src/local/demo/demo-cluster.ts';
import { offerNextSteps, startKubectlSearch, type KubectlOutcome } from '../../../../src/local/demo/kubectl-search.ts';
import type { Machine } from '../../../../src/local/machine.ts';
import type { Progress } from '../../../../src/local/progress.ts';
import { testMachine } from '../../../support/rigs/local-machine.ts';

const access = { kubeconfigPath: '/k', token: 't', alertURL: 'http://127.0.0.1:1/a' };
const binaries = { etcd: '/e', kubeApiServer: '/a', kubeControllerManager: undefined, origin: '' };

function offer(first: KubectlOutcome | undefined) {
  let outcome = first;
  const lines: string[] = [];
  const steps = offerNextSteps(
    access,
    () => outcome,
    (line) => lines.push(line),
  );
  const update = (next: KubectlOutcome) => {
    outcome = next;
    steps.update();
  };
  const commands = () =>
    lines.flatMap((line) => /^(?:curl|\/bin\/kubectl.* (?:describe|get|delete|annotate))\b/.exec(line) ?? []);
  return { lines, update, commands: () => commands().map((command) => command.split(' ').at(-1)) };
}

describe('the commands to try', () => {
  it('are printed at once, in their order, when kubectl is there', () => {
    const { lines, update, commands } = offer({ path: '/bin/kubectl' });
    expect(commands()).toEqual(['describe', 'describe', 'get', 'curl', 'delete', 'annotate']);
    const count = lines.length;
    update({ path: '/bin/kubectl' });
    expect(lines).toHaveLength(count);
  });

  it('are printed without those that need kubectl while it is not ready, and a line says so', () => {
    const { lines, update, commands } = offer(undefined);
    expect(commands()).toEqual(['curl']);
    expect(lines.at(-1)).toBe('kubectl is not ready yet; the commands that need it follow as soon as it is.');
    update({ path: '/bin/kubectl' });
    update({ path: '/bin/kubectl' });
    expect(commands()).toEqual(['curl', 'describe', 'describe', 'get', 'delete', 'annotate']);
  });

  it.each(['at once', 'later'])('leave out those that need kubectl when there is none, with the reason: %s', (when) => {
    const failed = { whyNot: 'The disk is full.' };
    const { lines, update, commands } = offer(when === 'later' ? undefined : failed);
    update(failed);
    expect(commands()).toEqual(['curl']);
    expect(lines.at(-1)).toBe('The commands that need kubectl are left out. The disk is full.');
  });
});

describe('the search for kubectl', () => {
  /** A search that lasts until it is aborted. */
  const endless = (machine: Machine, progress: Progress) =>
    new Promise<string>((_, reject) => {
      progress.print('building');
      machine.stopping?.addEventListener('abort', () => {
        progress.print('aborted');
        reject(new Error('aborted'));
      });
    });

  it('builds in the background, and has no outcome while it lasts', async () => {
    const { machine, progress, lines } = testMachine();
    let isInBackground: boolean | undefined;
    const search = startKubectlSearch({ machine, binaries }, progress, (on, out) => {
      isInBackground = on.buildsInBackground;
      return endless(on, out);
    });
    expect(isInBackground).toBe(true);
    expect(search.outcome()).toBeUndefined();
    await search.stop();
    expect(lines).toEqual(['building']);
  });

  it.each(['the demo', 'the search'])('ends, and prints no more, when %s is stopped', async (what) => {
    const { machine, progress, lines } = testMachine();
    const stopping = new AbortController();
    const search = startKubectlSearch(
      { machine: { ...machine, stopping: stopping.signal }, binaries },
      progress,
      endless,
    );
    if (what === 'the demo') stopping.abort();
    await search.stop();
    await search.stop();
    expect(search.outcome()).toEqual({ whyNot: 'aborted' });
    expect(lines).toEqual(['building']);
  });

  it('has a failure as its outcome; nothing rejects', async () => {
    const { machine, progress } = testMachine();
    const search = startKubectlSearch({ machine, binaries }, progress, () =>
      Promise.reject(new Error('no space left')),
    );
    await expect.poll(() => search.outcome()).toEqual({ whyNot: 'no space left' });
  });
});

it('the table of the API server is printed as kubectl prints it', () => {
  const table = {
    columnDefinitions: [
      { name: 'Name', priority: 0 },
      { name: 'Scope', priority: 1 },
      { name: 'In-Sync', priority: 0 },
      { name: 'Incidents', priority: 0 },
    ],
    rows: [
      { cells: ['owners', 'subscriptions/1', '2/2', 3] },
      { cells: ['a-longer-name', 'subscriptions/2', null, 12] },
    ],
  };
  expect(renderServerTable(table)).toBe(
    'NAME            IN-SYNC   INCIDENTS\nowners          2/2       3\na-longer-name             12\n',
  );
  expect(renderServerTable(undefined)).toBe('\n');
});
