// The programs of a control plane on this machine, fetched if they are not there, with progress on standard error.
import { findBinaries } from '../../../src/local/find-binaries.ts';
import { thisMachine } from '../../../src/local/machine.ts';

export async function foundBinaries() {
  const machine = thisMachine(process);
  const progress = (line: string) => void process.stderr.write(`${line}\n`);
  return { machine, progress, binaries: await findBinaries(machine, progress) };
}
