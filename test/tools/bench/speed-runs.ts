// One run of the speed comparison: the first round of a fleet by an operator, or the same requests by the undici baseline.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { BaselineJob } from './clients/undici-baseline.ts';
import { readWritten, type Written } from './clients/written.ts';
import { measureEdits, type EditTimes } from './edits.ts';
import { afterFirstRound } from './first-round.ts';
import { openFleetPlace, serviceToken } from './fleet-place.ts';
import { openMeter, type Spent } from './meter.ts';
import { readFineCpuSeconds, startProgram } from './programs.ts';
import type { Setup } from './setup.ts';
import { fleetOf } from './shapes.ts';
import type { Side } from './sides.ts';

export interface SpeedRun {
  readonly spent: Spent;
  /** Absent for the baseline. */
  readonly rest?: {
    readonly idleCpuSeconds: number;
    /** Each begins when the operator has reported the one before. */
    readonly edits: EditTimes;
    /** Each begins with the PATCH of the one before. */
    readonly quickEdits: EditTimes;
    readonly peakMiB: number;
    readonly written: Written;
  };
}

export interface SpeedOptions {
  readonly idleSeconds: number;
  readonly edits: number;
}

export const speedShape = fleetOf(1000);

/** The caches and the garbage collector of a process are busy for a while after its last request. */
const settleMs = 3000;

/** The verification, the status and the event of an edit end within some 10 ms of its PATCH. */
const restMs = 50;

export function runOperator(setup: Setup, side: Side, name: string, options: SpeedOptions): Promise<SpeedRun> {
  return afterFirstRound(setup, { side, name, shape: speedShape }, async ({ place, operator, spent }) => {
    const written = await readWritten(setup, place);
    await delay(settleMs);
    const idleStart = readFineCpuSeconds(operator.pid);
    await delay(options.idleSeconds * 1000);
    const idleCpuSeconds = readFineCpuSeconds(operator.pid) - idleStart;
    const edits = await measureEdits(setup, place, { policies: place.policies.slice(0, options.edits), restMs });
    const others = place.policies.slice(options.edits, 2 * options.edits);
    const quickEdits = await measureEdits(setup, place, { policies: others, restMs: 0 });
    return { spent, rest: { idleCpuSeconds, edits, quickEdits, peakMiB: operator.usage().peakMiB, written } };
  });
}

/** `file`: the bundle of the undici baseline. */
export async function runBaseline(setup: Setup, file: string, name: string, written: Written): Promise<SpeedRun> {
  await setup.applyCrds(setup.sides[0]);
  const place = await openFleetPlace(setup, name, speedShape);
  const { url, adminToken, certificateAuthority } = setup.controlPlane;
  const job: BaselineJob = {
    ...written,
    kube: { url, token: adminToken.reveal(), certificateAuthority },
    service: { url: `http://127.0.0.1:${place.tap.port}`, token: serviceToken },
    secretPath: `/api/v1/namespaces/${place.namespace}/secrets/fleet-credential`,
  };
  const jobFile = join(setup.directory, `${name}-job.json`);
  await writeFile(jobFile, JSON.stringify(job));
  const meter = await openMeter(setup, place);
  let isDone = false;
  const program = startProgram({
    args: [file, jobFile],
    onLine: () => {
      isDone = true;
    },
    logPath: join(setup.directory, `${name}.log`),
  });
  try {
    return { spent: await meter.untilAtRest(program, () => isDone) };
  } finally {
    await program.stop();
    await place.stop();
  }
}
