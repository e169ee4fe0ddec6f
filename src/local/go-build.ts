// Builds the programs of a control plane from Go modules. src/local/control-plane/go.mod pins the versions, go.sum the
// content. Takes minutes with a cold cache and seconds with a warm one.
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { cleanText } from '../lib/clean-text.ts';
import { LocalError } from '../lib/command-errors.ts';
import { kubernetesVersion } from './binaries.ts';
import type { Machine } from './machine.ts';
import { runCommand } from './run-command.ts';

const packageOf = (name: string) => (name === 'etcd' ? 'go.etcd.io/etcd/server/v3' : `k8s.io/kubernetes/cmd/${name}`);
const buildWithinMs = 60 * 60_000;

/** True when a working `go` command is on the PATH. */
export async function hasGo(machine: Machine): Promise<boolean> {
  const options = { environment: machine.environment, deadlineMs: 10_000, signal: machine.stopping };
  const result = await runCommand('go', ['version'], options).catch(() => undefined);
  return result?.exitCode === 0;
}

/** Builds the programs into `directory`. Throws `LocalError` with the last lines of Go's output. */
export async function buildPrograms(machine: Machine, directory: string, names: readonly string[]): Promise<void> {
  const scratchDirectory = join(directory, 'tmp');
  await rm(scratchDirectory, { recursive: true, force: true });
  await mkdir(scratchDirectory);
  const go = goRunner(machine, scratchDirectory);
  const build = (output: string, targets: readonly string[]) => go(['build', ...buildFlags, '-o', output, ...targets]);
  // One call for all programs of Kubernetes compiles their packages in parallel. etcd's package does not have its name.
  const fromKubernetes = names.filter((name) => name !== 'etcd').map(packageOf);
  if (fromKubernetes.length > 0) await build(`${directory}/`, fromKubernetes);
  if (names.includes('etcd')) await build(join(directory, 'etcd'), [packageOf('etcd')]);
}

type GoRunner = (args: readonly string[]) => Promise<void>;

function goRunner(machine: Machine, scratchDirectory: string): GoRunner {
  const directory = fileURLToPath(new URL('control-plane/', import.meta.url));
  if (!existsSync(join(directory, 'go.mod'))) {
    throw new LocalError('Building from Go modules needs a checkout of rolealerts; the bundle has no go.mod');
  }
  // Go settings for other projects (flags, a workspace, another platform) must not affect this build.
  const settings = { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GOOS: '', GOARCH: '', GOTMPDIR: scratchDirectory };
  return async (args) => {
    const result = await runCommand('go', args, {
      environment: { ...machine.environment, ...settings },
      directory,
      deadlineMs: buildWithinMs,
      signal: machine.stopping,
      // Go does not end its compilers when it is killed. Without a signal, Ctrl-C reaches all of them.
      endsDescendants: machine.stopping !== undefined,
    });
    if (result.exitCode !== 0) throw new LocalError(`go ${args[0]} failed: ${lastWords(result.stderr)}`);
  };
}

/** kubectl reads its own version from these variables, and clients read the numbers from the API server's `/version`. */
const versionFlags = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((name) => {
  const [major = '', minor = ''] = kubernetesVersion.slice(1).split('.');
  return [`-X ${name}.gitVersion=${kubernetesVersion}`, `-X ${name}.gitMajor=${major}`, `-X ${name}.gitMinor=${minor}`];
});
const buildFlags = ['-mod=readonly', '-trimpath', `-ldflags=-s -w ${versionFlags.join(' ')}`];

function lastWords(stderr: string): string {
  return stderr
    .trim()
    .split('\n')
    .slice(-5)
    .map((line) => cleanText(line, 300))
    .join('; ');
}
