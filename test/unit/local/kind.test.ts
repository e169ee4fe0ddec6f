// Only what surrounds kind is tested here: which kind is run, and with what. No test runs a cluster of kind.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { LocalError } from '../../../src/lib/command-errors.ts';
import { downKind, kindNodeImage, kindVersion, renderKindConfig, upKind } from '../../../src/local/kind.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

/** A fake kind: records its arguments and writes the requested kubeconfig. */
const fakeKind = (version: string, clusters = '') => `
[ "$1" = version ] && { echo "kind ${version} go1.26.0 linux/amd64"; exit 0; }
[ "$1" = run ] && shift 2
echo "$0 $*" >> "$HOME/calls"
[ "$1 $2" = "get clusters" ] && echo "${clusters}"
while [ $# -gt 0 ]; do [ "$1" = --kubeconfig ] && : > "$2"; shift; done; true`;

function place(on = testMachine()) {
  const machine = { ...on.machine, environment: { ...on.machine.environment, HOME: on.directory } };
  const calls = () => readFileSync(join(on.directory, 'calls'), 'utf8').trim().split('\n');
  return { ...on, calls, machine, stateDirectory: join(on.directory, 'state') };
}

test('the config pins the node image and stays on loopback', () => {
  const config = parse(renderKindConfig()) as { networking: object; nodes: object[] };
  expect(config.networking).toEqual({ apiServerAddress: '127.0.0.1' });
  expect(config.nodes).toEqual([{ role: 'control-plane', image: kindNodeImage }]);
  expect(kindNodeImage).toMatch(/^kindest\/node:v1\.36\.\d+@sha256:[0-9a-f]{64}$/);
});

test('the installed kind is used when it is the pinned one, and the output says that nothing covers it', async () => {
  const on = place();
  on.addCommand('docker', '');
  on.addCommand('kind', fakeKind(kindVersion));
  const { kubeconfigPath } = await upKind(on);
  expect(on.lines).toEqual([expect.stringContaining('the tests of rolealerts do not cover it')]);
  expect(on.printed.slice(0, 2)).toEqual(['The kind cluster is ready', `  kubeconfig: ${kubeconfigPath}`]);
  expect(on.calls()[1]).toContain(`create cluster --name rolealerts --kubeconfig ${kubeconfigPath}`);
});

test('another kind makes way for the pinned one, run by Go', async () => {
  const on = place();
  on.addCommand('docker', '');
  on.addCommand('kind', fakeKind('v0.1.0'));
  on.addCommand('go', fakeKind('unused'));
  await upKind(on);
  expect(on.calls()[0]).toMatch(/\/go get clusters$/);
});

test('a cluster that is there already is used as it is', async () => {
  const on = place();
  on.addCommand('docker', '');
  on.addCommand('kind', fakeKind(kindVersion, 'rolealerts'));
  await upKind(on);
  expect(on.calls().at(-1)).toContain('export kubeconfig');
});

test('down deletes the cluster by its name', async () => {
  const on = place();
  on.addCommand('docker', '');
  on.addCommand('kind', fakeKind(kindVersion));
  await upKind(on);
  await downKind(on);
  expect(on.calls().at(-1)).toContain('delete cluster --name rolealerts');
});

test('a state folder that cannot be written is an error with its path and the flag that changes it', async () => {
  const on = place();
  on.addCommand('docker', '');
  on.addCommand('kind', fakeKind(kindVersion));
  writeFileSync(on.stateDirectory, '');
  await expect(upKind(on)).rejects.toThrow(LocalError);
  await expect(upKind(on)).rejects.toThrow(
    /^Cannot write to the state folder \S+\/state: .* Name another folder with --state-dir\.$/,
  );
});

test('without a running Docker it says so', async () => {
  const on = place();
  on.addCommand('docker', 'exit 1');
  await expect(upKind(on)).rejects.toThrow('kind requires a running Docker');
});
