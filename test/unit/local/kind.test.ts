// Only what surrounds kind is tested here: with what it is run. No test runs a cluster of kind.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { downKind, kindNodeImage, upKind } from '../../../src/local/kind.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

/** A fake kind: records its arguments and writes the requested kubeconfig. */
const fakeKind = (clusters = '') => `
echo "$0 $*" >> "$HOME/calls"
[ "$1 $2" = "get clusters" ] && echo "${clusters}"
while [ $# -gt 0 ]; do [ "$1" = --kubeconfig ] && : > "$2"; shift; done; true`;

function place(on = testMachine()) {
  const machine = { ...on.machine, environment: { ...on.machine.environment, HOME: on.directory } };
  const calls = () => readFileSync(join(on.directory, 'calls'), 'utf8').trim().split('\n');
  return { ...on, calls, machine, stateDirectory: join(on.directory, 'state') };
}

test('up creates a cluster with the pinned node image, and the output says that nothing covers it', async () => {
  const on = place();
  on.addCommand('kind', fakeKind());
  const { kubeconfigPath } = await upKind(on);
  expect(on.lines).toEqual([expect.stringContaining('the tests of rolealerts do not cover it')]);
  expect(on.printed.slice(0, 2)).toEqual(['The kind cluster is ready', `  kubeconfig: ${kubeconfigPath}`]);
  expect(on.calls()[1]).toContain(
    `create cluster --name rolealerts --kubeconfig ${kubeconfigPath} --image ${kindNodeImage}`,
  );
  expect(kindNodeImage).toMatch(/^kindest\/node:v1\.36\.\d+@sha256:[0-9a-f]{64}$/);
});

test('a cluster that is there already is used as it is', async () => {
  const on = place();
  on.addCommand('kind', fakeKind('rolealerts'));
  await upKind(on);
  expect(on.calls().at(-1)).toContain('export kubeconfig');
});

test('down deletes the cluster by its name', async () => {
  const on = place();
  on.addCommand('kind', fakeKind());
  await upKind(on);
  await downKind(on);
  expect(on.calls().at(-1)).toContain('delete cluster --name rolealerts');
});

test('a kind that fails, or is not there, is an error with its reason', async () => {
  const on = place();
  await expect(upKind(on)).rejects.toThrow('kind did not run');
  on.addCommand('kind', 'echo "no Docker" >&2; exit 1');
  await expect(upKind(on)).rejects.toThrow('kind get clusters failed: no Docker');
});
