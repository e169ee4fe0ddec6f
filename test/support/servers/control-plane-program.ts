// A program that owns a control plane, or brings one up and goes, so that tests can kill it. One JSON line on standard
// output says what was started.
//   own        starts one and waits to be killed
//   up FOLDER  what `rolealerts local up` does, in this state folder
import { startControlPlane } from '../../../src/local/control-plane.ts';
import { findBinaries } from '../../../src/local/find-binaries.ts';
import { thisMachine } from '../../../src/local/machine.ts';
import { upControlPlane } from '../../../src/local/up-down.ts';

const machine = thisMachine(process);
const progress = () => undefined;
const commandFor = (name: string) => `rolealerts local ${name}`;
const [verb, stateDirectory = ''] = process.argv.slice(2);

if (verb === 'own') {
  const controlPlane = await startControlPlane({ machine, binaries: await findBinaries(machine, progress) });
  console.log(JSON.stringify(controlPlane));
  process.stdin.resume();
} else {
  console.log(
    JSON.stringify(await upControlPlane({ machine, progress, print: () => undefined, stateDirectory, commandFor })),
  );
}
