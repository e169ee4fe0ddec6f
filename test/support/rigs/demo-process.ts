// The demo as a process or in this one, in a folder of its own, and what of it still runs.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished } from 'vitest';

import { runProgram } from '../../../src/commands/program.ts';
import { cacheDirectory } from '../../../src/local/binaries.ts';
import { findServers } from '../../../src/local/find-binaries.ts';
import { thisMachine } from '../../../src/local/machine.ts';
import { runCommand } from '../../../src/local/run-command.ts';
import { testMachine } from './local-machine.ts';
import { noBytes, noInput } from './recording-host.ts';
import { TestTerminal } from './test-terminal.ts';

/** A working directory, and a temporary folder that only this demo uses: its name is in all command lines of the demo. */
export function workplace() {
  const directory = mkdtempSync(join(tmpdir(), 'rolealerts-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const temporary = mkdtempSync(join(directory, 'tmp-'));
  return { directory, temporary, environment: { TMPDIR: temporary, KUBECONFIG: '' } };
}

export async function processesWith(text: string): Promise<readonly string[]> {
  const { stdout } = await runCommand('ps', ['-ww', '-eo', 'args='], { environment: process.env, deadlineMs: 300_000 });
  return stdout.split('\n').filter((line) => line.includes(text));
}

/** Two supervisors, etcd, kube-apiserver, the operator, and kube-controller-manager where there is one. */
export async function expectEverythingToRun(temporary: string): Promise<void> {
  await expect.poll(async () => (await processesWith(temporary)).length).toBeGreaterThanOrEqual(5);
}

export async function expectNothingLeft(temporary: string): Promise<void> {
  await expect.poll(() => processesWith(temporary)).toEqual([]);
  await expect.poll(() => readdirSync(temporary).filter((name) => name.startsWith('rolealerts-'))).toEqual([]);
}

/** The demo in a terminal, in this process. */
export function startLive(directory: string, environment: Readonly<Record<string, string | undefined>>) {
  const terminal = new TestTerminal(120, 50);
  const stopping = new AbortController();
  const out = {
    write: (text: string) => terminal.write(text),
    isTerminal: true,
    canRedraw: true,
    columns: 120,
    rows: 50,
  };
  const env = { ...process.env, ...environment };
  const facts = { platform: process.platform, arch: process.arch, env, execPath: process.execPath };
  const programFile = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
  const program = { nodeVersion: process.version, programFile, input: noInput, writeBytes: noBytes };
  const host = { env, facts, workingDirectory: directory, ...program, out, err: out, stopping: stopping.signal };
  const ended = runProgram(['demo'], host);
  onTestFinished(() => stopping.abort());
  const stop = () => {
    stopping.abort();
    return ended;
  };
  return { terminal, screen: () => terminal.lines().join('\n'), stop };
}

/** A machine without kubectl and Go, whose cache folder has the other programs that a demo needs. */
export async function machineWithServers(directory: string) {
  const on = testMachine();
  const servers = await findServers(thisMachine(process), on.progress);
  const cache = cacheDirectory({ ...thisMachine(process), environment: noPrograms(directory) });
  mkdirSync(cache, { recursive: true });
  symlinkSync(servers.etcd, join(cache, 'etcd'));
  symlinkSync(servers.kubeApiServer, join(cache, 'kube-apiserver'));
  return on;
}

/** An empty cache folder, and no way to download anything: the proxy listens nowhere. */
export function noPrograms(directory: string) {
  const proxy = 'http://127.0.0.1:9';
  const network = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy, https_proxy: proxy };
  return { ...network, XDG_CACHE_HOME: join(directory, 'cache'), KUBEBUILDER_ASSETS: '' };
}
