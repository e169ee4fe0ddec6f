// The programs of a control plane on this machine, fetched if they are not there, with progress on standard error.
import { findBinaries } from '../../../src/local/find-binaries.ts';
import { thisMachine } from '../../../src/local/machine.ts';
import { createProgress } from '../../../src/local/progress.ts';

export async function foundBinaries() {
  const machine = thisMachine(process);
  const sink = { clock: machine.clock, canRedraw: process.stderr.isTTY };
  const progress = createProgress({ ...sink, write: (text) => process.stderr.write(text) });
  return { machine, progress, binaries: await findBinaries(machine, progress) };
}
