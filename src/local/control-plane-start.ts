// The state shared by the steps of one start of a control plane, and the waits between them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cleanText } from '../lib/clean-text.ts';
import { LocalError } from '../lib/command-errors.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { probeApiServer } from './api-server-probe.ts';
import { controlPlaneFiles, type ControlPlaneProgramOptions } from './control-plane-programs.ts';
import type { Machine } from './machine.ts';
import { poll } from './poll.ts';
import type { Supervision } from './supervision.ts';
import type { Program } from './supervisor-messages.ts';

export const portTaken = 'PortTaken';
const logTailLines = 12;

/** The state shared by the steps of one start. */
export interface Starting {
  readonly machine: Machine;
  readonly facts: ControlPlaneProgramOptions;
  readonly adminToken: SecretText;
  readonly url: string;
  readonly supervision: Supervision;
  readonly readyWithinMs: number;
}

/** Waits for the file into which the API server writes its certificate and its CA before it listens. */
export function waitForCertificate(starting: Starting, program: Program): Promise<string> {
  const path = join(starting.facts.dataDirectory, controlPlaneFiles.servingCertificate);
  return waitFor(starting, program, async () => {
    const text = await readFile(path, 'utf8').catch(() => '');
    return text.split('-----END CERTIFICATE-----').length > 2 ? text : undefined;
  });
}

/** Repeats a GET of `path` until it succeeds. Throws as `waitFor` does. */
export async function waitUntilReady(
  starting: Starting,
  program: Program,
  certificateAuthority: string,
  path: string,
): Promise<void> {
  const target = { url: starting.url, token: starting.adminToken, certificateAuthority };
  await waitFor(starting, program, async () => ((await probeApiServer(target, path)) === 200 ? true : undefined));
}

/** Polls `ask` until it returns a value. Throws when `program` or etcd exits, or at the deadline. */
async function waitFor<Answer>(
  starting: Starting,
  program: Program,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer> {
  const { machine, supervision, readyWithinMs } = starting;
  const answer = await poll({ clock: machine.clock, withinMs: readyWithinMs, everyMs: 100 }, async () => {
    const deadName = ['etcd', program.name].find((name) => supervision.endOf(name) !== undefined);
    if (deadName !== undefined) throw await earlyEnd(starting, deadName, supervision.endOf(deadName) ?? '');
    return ask();
  });
  if (answer !== undefined) return answer;
  throw await earlyEnd(starting, program.name, `not ready after ${Math.round(readyWithinMs / 1000)} s`);
}

async function earlyEnd(starting: Starting, name: string, how: string): Promise<LocalError> {
  const log = await readFile(join(starting.facts.dataDirectory, `${name}.log`), 'utf8').catch(() => '');
  const lines = log
    .trimEnd()
    .split('\n')
    .slice(-logTailLines)
    .map((line) => `  ${cleanText(line, 400)}`);
  // etcd and kube-apiserver report this in their logs only.
  const isPortTaken = lines.some((line) => line.includes('address already in use'));
  return new LocalError(
    `${name} did not start: ${how}; the last lines of its log:\n${lines.join('\n')}`,
    isPortTaken ? { reason: portTaken } : {},
  );
}
