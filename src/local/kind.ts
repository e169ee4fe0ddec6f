// An alternative cluster for users with Docker: the kind on the PATH, with a pinned node image. No test of rolealerts runs on it, and the
// output states this.
import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { cleanText } from '../lib/clean-text.ts';
import { LocalError } from '../lib/command-errors.ts';
import { runCommand } from './run-command.ts';
import { type LocalContext, prepareStateDirectory } from './state-directory.ts';

/** The default node image of kind v0.32.0. */
export const kindNodeImage =
  'kindest/node:v1.36.1@sha256:3489c7674813ba5d8b1a9977baea8a6e553784dab7b84759d1014dbd78f7ebd5';

const clusterName = 'rolealerts';
const createWithinMs = 15 * 60_000;

/** Creates the cluster unless it exists, and writes its kubeconfig into the state folder. */
export async function upKind(place: LocalContext): Promise<{ readonly kubeconfigPath: string }> {
  place.progress('Using kind; the tests of rolealerts do not cover it');
  const kubeconfigPath = kindKubeconfigPath(place);
  await prepareStateDirectory(place);
  const named = ['--name', clusterName, '--kubeconfig', kubeconfigPath];
  const isThere = (await runKind(place, ['get', 'clusters'])).split('\n').includes(clusterName);
  if (isThere) await runKind(place, ['export', 'kubeconfig', ...named]);
  else await runKind(place, ['create', 'cluster', ...named, '--image', kindNodeImage, '--wait', '120s']);
  await chmod(kubeconfigPath, 0o600);
  place.print(isThere ? 'The kind cluster is already running' : 'The kind cluster is ready');
  place.print(`  kubeconfig: ${kubeconfigPath}`);
  place.print(`  stop it:    ${place.commandFor('down --kind')}`);
  return { kubeconfigPath };
}

/** Deletes the cluster if it exists. */
export async function downKind(place: LocalContext): Promise<void> {
  await runKind(place, ['delete', 'cluster', '--name', clusterName, '--kubeconfig', kindKubeconfigPath(place)]);
  place.print('The kind cluster is deleted');
}

async function runKind({ machine, progress }: LocalContext, args: readonly string[]): Promise<string> {
  const result = await runCommand('kind', args, {
    environment: machine.environment,
    deadlineMs: createWithinMs,
    onErrorLine: (line) => progress(cleanText(line)),
  }).catch((cause: unknown) => {
    throw new LocalError('kind did not run. Install it and Docker, or use `rolealerts local up`', { cause });
  });
  if (result.exitCode === 0) return result.stdout;
  throw new LocalError(`kind ${args.slice(0, 2).join(' ')} failed: ${cleanText(result.stderr, 1000)}`);
}

function kindKubeconfigPath(place: LocalContext): string {
  return join(resolve(place.stateDirectory), 'kubeconfig-kind');
}
