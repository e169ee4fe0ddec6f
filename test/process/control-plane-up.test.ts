// `rolealerts local up`, `down` and `status`: a control plane that outlives the command, and what is left of it when it ends
// in unexpected ways.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { expect, it, onTestFinished } from 'vitest';

import { thisMachine } from '../../src/local/machine.ts';
import { runCommand } from '../../src/local/run-command.ts';
import {
  type ControlPlaneRecord,
  controlPlaneStatus,
  downControlPlane,
  identifyProcess,
  readRecord,
  upControlPlane,
  writeRecord,
} from '../../src/local/up-down.ts';
import { testMachine } from '../support/rigs/local-machine.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const program = new URL('../support/servers/control-plane-program.ts', import.meta.url).pathname;

/** A state folder of its own. Whatever a test leaves running there ends with the test. */
function place() {
  const { directory, ...rest } = testMachine();
  const here = { ...rest, machine: thisMachine(process), stateDirectory: join(directory, 'state') };
  onTestFinished(async () => {
    await downControlPlane(here);
  });
  return here;
}

/** Runs `up` as a process of its own, to its end. */
async function upElsewhere(stateDirectory: string): Promise<ControlPlaneRecord> {
  const command = spawn(process.execPath, [program, 'up', stateDirectory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(command, 'exit');
  const [line] = (await once(createInterface(command.stdout), 'line')) as [string];
  await ended;
  return JSON.parse(line) as ControlPlaneRecord;
}

function get(record: ControlPlaneRecord, ...args: readonly string[]) {
  const access = ['--kubeconfig', record.kubeconfigPath, '--request-timeout=5s', 'get'];
  return runCommand(record.kubectlPath, [...access, ...args], { environment: process.env, deadlineMs: 300_000 });
}

describeWithControlPlane('a control plane that was brought up', () => {
  it('is started once by two commands at the same time, outlives them, and is found by the next, with a private credential', async () => {
    const here = place();
    const [record, other] = await Promise.all([upElsewhere(here.stateDirectory), upElsewhere(here.stateDirectory)]);
    expect(other).toEqual(record);
    expect((await get(record, 'namespace', 'default', '--output=name')).stdout).toBe('namespace/default\n');
    expect(await controlPlaneStatus(here)).toEqual({ state: 'running', record });

    expect(await upControlPlane(here)).toEqual(record);
    expect(here.printed[0]).toBe('The control plane is already running');
    expect(here.printed).toContain(`  kubeconfig: ${record.kubeconfigPath}`);

    expect(statSync(here.stateDirectory).mode & 0o777).toBe(0o700);
    expect(statSync(record.kubeconfigPath).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(here.stateDirectory, '.gitignore'), 'utf8')).toBe('*\n');
    expect([...here.lines, ...here.printed].join('\n')).not.toContain(
      /token: (.+)/.exec(readFileSync(record.kubeconfigPath, 'utf8'))?.[1],
    );
  });

  it('is down when one of its programs crashed, and broken when only its supervisor was killed; up starts it afresh', async () => {
    const here = place();
    const crashed = await upControlPlane(here);
    process.kill(crashed.processes.find(({ name }) => name === 'etcd')!.pid, 'SIGKILL');
    await expect.poll(async () => (await controlPlaneStatus(here)).state).toBe('stopped');
    const status = await controlPlaneStatus(here);
    expect(status).toEqual({ state: 'stopped', logDirectory: join(here.stateDirectory, 'control-plane') });

    const broken = await upControlPlane(here);
    expect((await get(broken, 'namespace', 'default')).exitCode).toBe(0);
    process.kill(broken.processes[0]!.pid, 'SIGKILL');
    await expect.poll(() => controlPlaneStatus(here)).toMatchObject({ state: 'broken', gone: ['supervisor'] });

    const record = await upControlPlane(here);
    for (const { pid } of broken.processes) expect(await identifyProcess(here.machine, pid)).toBeUndefined();
    expect((await controlPlaneStatus(here)).state).toBe('running');
    expect(await downControlPlane(here)).toBe(true);
    for (const { pid } of record.processes) expect(await identifyProcess(here.machine, pid)).toBeUndefined();
    expect(existsSync(record.kubeconfigPath)).toBe(false);
    expect(await controlPlaneStatus(here)).toEqual({ state: 'stopped' });
    expect(await downControlPlane(here)).toBe(false);
  });

  it('is never mistaken for another process that got its id, as after a reboot', async () => {
    const here = place();
    const bystander = spawn('sleep', ['600']);
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const processes = [{ name: 'supervisor', pid: bystander.pid!, identity: 'before the reboot' }];
    await writeRecord(here.stateDirectory, { url: '', kubeconfigPath: '', kubectlPath: '', processes });
    expect((await controlPlaneStatus(here)).state).toBe('stopped');
    expect(await downControlPlane(here)).toBe(false);
    expect(await identifyProcess(here.machine, bystander.pid!)).toBeDefined();
    expect(await readRecord(here.stateDirectory)).toBeUndefined();
  });

  it('asked to go down where none ever was makes no folder', async () => {
    const here = place();
    expect(await downControlPlane(here)).toBe(false);
    expect(existsSync(here.stateDirectory)).toBe(false);
  });
});
