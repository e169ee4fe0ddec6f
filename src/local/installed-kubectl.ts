// A kubectl that the user has installed: the first on the PATH, when its version fits kube-apiserver.
import { delimiter, isAbsolute, join } from 'node:path';

import { cleanText } from '../lib/clean-text.ts';
import { objectOf, parseJson, stringOf } from '../lib/json-shape.ts';
import { isExecutable } from './binaries.ts';
import { whyKubectlDoesNotFit } from './kubernetes-version.ts';
import type { Machine } from './machine.ts';
import { runCommand } from './run-command.ts';

const answerWithinMs = 5000;

/** `kubeApiServerVersion` is undefined when unknown; no kubectl fits then. `whyNot` is a sentence without a full stop. */
export async function findInstalledKubectl(
  machine: Machine,
  kubeApiServerVersion: string | undefined,
  withinMs = answerWithinMs,
): Promise<{ readonly path: string } | { readonly whyNot: string }> {
  const path = await firstOnPath(machine, 'kubectl');
  if (path === undefined) return { whyNot: 'There is no kubectl on the PATH' };
  const answer = await askVersion(machine, path, withinMs);
  const whyNot = 'whyNot' in answer ? answer.whyNot : whyKubectlDoesNotFit(answer.version, kubeApiServerVersion ?? '');
  return whyNot === undefined ? { path } : { whyNot: `${path} does not fit: ${whyNot}` };
}

/** The version as kubectl prints it: `v1.36.3`. Empty when it prints none. */
async function askVersion(
  machine: Machine,
  path: string,
  withinMs: number,
): Promise<{ readonly version: string } | { readonly whyNot: string }> {
  const { environment, stopping: signal } = machine;
  const options = { environment, deadlineMs: withinMs, signal, endsDescendants: true };
  const result = await runCommand(path, ['version', '--client', '--output=json'], options).catch(() => undefined);
  if (!result) return { whyNot: 'it cannot be run' };
  if (result.exitCode === undefined) return { whyNot: `it did not print its version within ${withinMs / 1000} s` };
  const { gitVersion } = objectOf(objectOf(parseJson(result.stdout))['clientVersion']);
  return { version: cleanText(stringOf(gitVersion) ?? '', 60) };
}

/** Skips relative folders, so that the path is valid in another terminal too. */
async function firstOnPath(machine: Machine, name: string): Promise<string | undefined> {
  const folders = (machine.environment['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}
