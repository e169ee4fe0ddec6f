// `rolealerts local up`, `down` and `status`.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { switchOption, textOption } from '../lib/options/text.ts';
import { shellQuote } from '../lib/terminal-text.ts';
import { downKind, upKind } from '../local/kind.ts';
import { type Machine, thisMachine } from '../local/machine.ts';
import type { LocalContext } from '../local/state-directory.ts';
import { controlPlaneStatus, downControlPlane, renderStatus, upControlPlane } from '../local/up-down.ts';
import { defineCommand } from './command.ts';
import type { Host } from './host.ts';

export const localOptions = {
  stateDir: textOption({
    flag: 'state-dir',
    placeholder: 'FOLDER',
    description:
      'The folder for the data and the kubeconfig of the control plane. Default: .rolealerts in the checkout of the sources, otherwise in the current folder.',
  }),
  kind: switchOption({
    flag: 'kind',
    description: 'Use kind and Docker instead. The tests do not cover this.',
  }),
};

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
    progress: (line) => host.err.write(`${line}\n`),
    print: (line) => host.out.write(`${line}\n`),
  };
}

export interface LocalPlace {
  readonly stateDirectory: string;
  /** The shell command for `local VERB` with this state, whatever the current folder is. */
  readonly commandFor: (verb: string) => string;
}

type Caller = Pick<Host, 'workingDirectory' | 'programFile' | 'facts'>;

/** The checkout that this program runs from; undefined for a bundle elsewhere. */
export function findCheckout(): string | undefined {
  const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
  return existsSync(join(root, 'src', 'main.ts')) ? root : undefined;
}

/** `given` is `--state-dir`. The default is one folder for the whole checkout, wherever its sources are called. */
export function localPlace(given: string | undefined, caller: Caller, checkout: string | undefined): LocalPlace {
  const { workingDirectory } = caller;
  const shared = checkout !== undefined && isSource(caller) ? checkout : workingDirectory;
  const byDefault = join(shared, '.rolealerts');
  const stateDirectory = given === undefined ? byDefault : resolve(workingDirectory, given);
  const program = programCall(caller, checkout);
  // The command that is pasted may have another current folder.
  const isFound = checkout !== undefined && stateDirectory === join(checkout, '.rolealerts') && isSource(caller);
  const flag = isFound ? '' : ` --state-dir ${shellQuote(stateDirectory)}`;
  return { stateDirectory, commandFor: (verb) => `${program} local ${verb}${flag}` };
}

/** The shell command for this program. */
export function programCall(caller: Caller, checkout: string | undefined): string {
  if (checkout !== undefined && isSource(caller)) return `npm --prefix ${shellQuote(checkout)} run -s rolealerts --`;
  return `${shellQuote(caller.facts.execPath)} ${shellQuote(caller.programFile)}`;
}

const isSource = ({ programFile }: Caller) => programFile.endsWith('.ts');
