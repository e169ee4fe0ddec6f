// A machine for tests of src/local: its folder is temporary, its PATH holds little more than what a test puts there (no Go,
// whatever is installed), and its progress is remembered.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import type { Print } from '../../../src/local/long-steps.ts';
import { thisMachine, type Machine } from '../../../src/local/machine.ts';

/** What the code under test, or a script of a test, runs on any machine. */
const systemCommands = ['tar', 'gzip', 'ps', 'mkdir', 'chmod'];

export interface TestMachine {
  readonly machine: Machine;
  /** Deleted when the test has finished. */
  readonly directory: string;
  /** Of the progress. */
  readonly lines: string[];
  /** The result. */
  readonly printed: string[];
  readonly progress: Print;
  readonly print: Print;
  /** As the commands of a `LocalContext`. */
  readonly commandFor: (verb: string) => string;
  /** Puts a shell script on the PATH. */
  readonly addCommand: (name: string, script: string) => void;
}

/** A Linux machine with no variables. To be called inside a test. */
export function testMachine(overrides: Partial<Machine> = {}): TestMachine {
  const directory = mkdtempSync(join(tmpdir(), 'rolealerts-test-'));
  const commands = join(directory, 'commands');
  mkdirSync(commands);
  for (const name of systemCommands) symlinkSync(systemPath(name), join(commands, name));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const lines: string[] = [];
  const printed: string[] = [];
  return {
    directory,
    lines,
    printed,
    machine: {
      ...thisMachine({ platform: 'linux', arch: 'x64', env: {}, execPath: process.execPath }),
      homeDirectory: directory,
      ...overrides,
      environment: { PATH: commands, ...overrides.environment },
    },
    progress: (line) => lines.push(line),
    print: (line) => printed.push(line),
    commandFor: (verb) => `rolealerts local ${verb}`,
    addCommand: (name, script) => writeExecutable(join(commands, name), script),
  };
}

function systemPath(name: string): string {
  const path = ['/bin', '/usr/bin'].map((folder) => join(folder, name)).find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`this machine has no ${name}`);
  return path;
}

function writeExecutable(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** A folder with programs that do nothing; `kube-apiserver` and `kube-controller-manager` print their version. */
export function writeBinaries(directory: string, names: readonly string[], version = 'v1.36.3'): void {
  mkdirSync(directory, { recursive: true });
  for (const name of names) writeExecutable(join(directory, name), `echo Kubernetes ${version}`);
}

export const allBinaries = ['etcd', 'kube-apiserver', 'kubectl', 'kube-controller-manager'];
