// An alternative cluster for users with Docker: kind, in a pinned version. No test of rolealerts runs on it, and the output
// states this.
import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { stringify } from 'yaml';

import { cleanText } from '../lib/clean-text.ts';
import { LocalError } from '../lib/command-errors.ts';
import { hasGo } from './go-build.ts';
import { runCommand, type CommandResult } from './run-command.ts';
import { type LocalContext, prepareStateDirectory } from './state-directory.ts';

export const kindVersion = 'v0.32.0';
/** The default node image of this version of kind. */
export const kindNodeImage =
  'kindest/node:v1.36.1@sha256:3489c7674813ba5d8b1a9977baea8a6e553784dab7b84759d1014dbd78f7ebd5';

const clusterName = 'rolealerts';
const createWithinMs = 15 * 60_000;
const notCovered = `Using kind ${kindVersion}; the tests of rolealerts do not cover it`;

/** Creates the cluster unless it exists, and writes its kubeconfig into the state folder. */
export async function upKind(place: LocalContext): Promise<{ readonly kubeconfigPath: string }> {
  place.progress.print(notCovered);
  const kind = await findKind(place);
  const kubeconfigPath = kindKubeconfigPath(place);
  await prepareStateDirectory(place);
  const named = ['--name', clusterName, '--kubeconfig', kubeconfigPath];
  const clusters = await kind(['get', 'clusters']);
  const isThere = clusters.stdout.split('\n').includes(clusterName);
  if (isThere) await kind(['export', 'kubeconfig', ...named]);
  else await kind(['create', 'cluster', ...named, '--config', '-', '--wait', '120s'], renderKindConfig());
  await chmod(kubeconfigPath, 0o600);
  place.print(isThere ? 'The kind cluster is already running' : 'The kind cluster is ready');
  place.print(`  kubeconfig: ${kubeconfigPath}`);
  place.print(`  stop it:    ${place.commandFor('down --kind')}`);
  return { kubeconfigPath };
}

/** Deletes the cluster if it exists. */
export async function downKind(place: LocalContext): Promise<void> {
  const kind = await findKind(place);
  await kind(['delete', 'cluster', '--name', clusterName, '--kubeconfig', kindKubeconfigPath(place)]);
  place.print('The kind cluster is deleted');
}

export function renderKindConfig(): string {
  return stringify({
    kind: 'Cluster',
    apiVersion: 'kind.x-k8s.io/v1alpha4',
    networking: { apiServerAddress: '127.0.0.1' },
    nodes: [{ role: 'control-plane', image: kindNodeImage }],
  });
}

type KindRunner = (args: readonly string[], input?: string) => Promise<CommandResult>;

/** The installed kind when it is the pinned version; otherwise Go runs the pinned one. Both need a running Docker. */
async function findKind(place: LocalContext): Promise<KindRunner> {
  const { environment } = place.machine;
  const ask = (file: string) =>
    runCommand(file, ['version'], { environment, deadlineMs: 20_000 }).catch(() => undefined);
  if ((await ask('docker'))?.exitCode !== 0)
    throw new LocalError('kind requires a running Docker; without Docker use `rolealerts local up`');
  const isInstalled = (await ask('kind'))?.stdout.includes(`${kindVersion} `);
  if (!isInstalled && !(await hasGo(place.machine)))
    throw new LocalError(`Install kind ${kindVersion} (https://kind.sigs.k8s.io), or Go, which can run it`);
  const [file, ...prefix] = isInstalled
    ? (['kind'] as const)
    : (['go', 'run', `sigs.k8s.io/kind@${kindVersion}`] as const);
  return async (args, input) => {
    const result = await runCommand(file, [...prefix, ...args], {
      environment,
      deadlineMs: createWithinMs,
      onErrorLine: (line) => place.progress.print(cleanText(line)),
      ...(input !== undefined && { input }),
    });
    if (result.exitCode === 0) return result;
    throw new LocalError(`kind ${args.slice(0, 2).join(' ')} failed: ${cleanText(result.stderr, 1000)}`);
  };
}

function kindKubeconfigPath(place: LocalContext): string {
  return join(resolve(place.stateDirectory), 'kubeconfig-kind');
}
