// `rolealerts local up`, `down` and `status`.
import { downKind, upKind } from '../local/kind.ts';
import { type Machine, thisMachine } from '../local/machine.ts';
import { createProgress } from '../local/progress.ts';
import { renderStatus } from '../local/render-status.ts';
import type { LocalContext } from '../local/state-directory.ts';
import { controlPlaneStatus, downControlPlane, upControlPlane } from '../local/up-down.ts';
import { defineCommand } from './command.ts';
import type { Host } from './host.ts';
import { findCheckout, localPlace } from './local-place.ts';
import { localOptions } from './options/local-options.ts';

const kindNote = '--kind requires Docker and the kind command. The tests do not cover it.';

export const localUpCommand = defineCommand({
  name: 'up',
  description: 'Start etcd, kube-apiserver and kube-controller-manager on loopback, and leave them running.',
  more: kindNote,
  examples: ['rolealerts local up'],
  options: localOptions,
  async run(values, host) {
    await (values.kind ? upKind : upControlPlane)(placeOf(values.stateDir, host));
    return 0;
  },
});

export const localDownCommand = defineCommand({
  name: 'down',
  description: 'Stop the control plane and delete its data.',
  more: kindNote,
  examples: ['rolealerts local down'],
  options: localOptions,
  async run(values, host) {
    await (values.kind ? downKind : downControlPlane)(placeOf(values.stateDir, host));
    return 0;
  },
});

export const localStatusCommand = defineCommand({
  name: 'status',
  description: 'Show whether a control plane is running and how to reach it; exit with 1 when none is.',
  examples: ['rolealerts local status'],
  options: { stateDir: localOptions.stateDir },
  async run(values, host) {
    const place = placeOf(values.stateDir, host);
    const status = await controlPlaneStatus(place);
    for (const line of renderStatus(status, place)) host.out.write(`${line}\n`);
    return status.state === 'running' ? 0 : 1;
  },
});

function placeOf(stateDirectory: string | undefined, host: Host): LocalContext {
  const machine: Machine = thisMachine(host.facts);
  return {
    machine,
    ...localPlace(stateDirectory, host, findCheckout()),
    progress: createProgress({
      clock: machine.clock,
      canRedraw: host.err.canRedraw,
      write: (text) => host.err.write(text),
    }),
    print: (line) => host.out.write(`${line}\n`),
  };
}
