// A control plane ends with its owner, whatever ended the owner, and leaves nothing on the machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { expect, it } from 'vitest';

import { startControlPlane } from '../../src/local/control-plane.ts';
import { findBinaries } from '../../src/local/find-binaries.ts';
import { thisMachine } from '../../src/local/machine.ts';
import { runCommand } from '../../src/local/run-command.ts';
import { testMachine } from '../support/rigs/local-machine.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const program = new URL('../support/servers/control-plane-program.ts', import.meta.url).pathname;
const silent = () => undefined;

/** The command lines of all processes that mention `text`. */
async function commandsWith(text: string): Promise<readonly string[]> {
  const { stdout } = await runCommand('ps', ['-ww', '-eo', 'args='], { environment: process.env, deadlineMs: 300_000 });
  return stdout.split('\n').filter((line) => line.includes(text));
}

async function startOwner() {
  const owner = spawn(process.execPath, [program, 'own'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(owner.stdout), 'line')) as [string];
  return { owner, controlPlane: JSON.parse(line) as { dataDirectory: string; url: string } };
}

describeWithControlPlane('a control plane with an owner', (shared) => {
  it('ends when its owner is killed', async () => {
    const { owner, controlPlane } = await startOwner();
    expect(await commandsWith(controlPlane.dataDirectory)).toHaveLength(4);
    owner.kill('SIGKILL');
    await expect.poll(() => commandsWith(controlPlane.dataDirectory)).toEqual([]);
    await expect.poll(() => existsSync(controlPlane.dataDirectory)).toBe(false);
  });

  it('ends when its owner is killed while it starts', async () => {
    const { directory } = testMachine();
    const env = { ...process.env, TMPDIR: directory };
    const owner = spawn(process.execPath, [program, 'own'], { stdio: ['pipe', 'ignore', 'inherit'], env });
    const dataDirectories = () => globSync('rolealerts-control-plane-*', { cwd: directory });
    const started = () => existsSync(join(directory, dataDirectories()[0] ?? 'none', 'etcd.log'));
    await expect.poll(started, { interval: 5 }).toBe(true);
    owner.kill('SIGKILL');
    await expect.poll(() => commandsWith(directory)).toEqual([]);
    await expect.poll(dataDirectories).toEqual([]);
  });

  it('shows its token in no command line', async () => {
    expect(await commandsWith(shared.adminToken.reveal())).toEqual([]);
    expect(await commandsWith(dirname(shared.kubeconfigPath))).not.toEqual([]);
  });

  it('says what a program said last when it ends early', async () => {
    const on = testMachine();
    const machine = thisMachine(process);
    on.addCommand('etcd', 'echo "the disk is full" >&2; exit 9');
    const binaries = { ...(await findBinaries(machine, silent)), etcd: join(on.directory, 'commands', 'etcd') };
    const dataDirectory = join(on.directory, 'data');
    await expect(startControlPlane({ machine, binaries, dataDirectory })).rejects.toThrow(
      /^etcd did not start: exit code 9; the last lines of its log:\n {2}the disk is full$/,
    );
    expect(existsSync(dataDirectory)).toBe(false);
  });
});
