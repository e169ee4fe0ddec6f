// What a program and the API server spend until the program comes to rest.
import { type ApiServerCounts, countsSince, readApiServerCounts } from '../../support/checks/api-server-counts.ts';
import type { FleetPlace } from './fleet-place.ts';
import { type Program, readUsage, waitFor } from './programs.ts';
import type { Setup } from './setup.ts';

export interface Spent extends ApiServerCounts {
  /** From the start of the program. */
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly apiServerCpuSeconds: number;
  readonly lists: number;
  readonly patches: number;
}

export interface Meter {
  /** Resolves when `isDone`, and the program has been at rest for a second. The pause itself is not counted. */
  untilAtRest(program: Program, isDone: () => boolean): Promise<Spent>;
}

const sampleMs = 100;
const restSamples = 10;
/** Less than the smallest request, more than an idle operator takes in a sample: the resolution of /proc. */
const restCpuSeconds = 0.015;
/** In half a second. An idle API server takes a fifth of it. */
const restApiServerCpuSeconds = 0.05;
const deadlineMs = 15 * 60_000;

/** Starts to count once the API server has nothing left to do. Begin before the program. */
export async function openMeter({ controlPlane, apiServerPid }: Setup, place: FleetPlace): Promise<Meter> {
  await untilApiServerRests(apiServerPid);
  const counts = await readApiServerCounts(controlPlane);
  const apiServerStart = readUsage(apiServerPid).cpuSeconds;
  const answered = { ...place.service.answered };
  const sample = (program: Program) => ({
    atMs: performance.now(),
    ...program.usage(),
    apiServerCpuSeconds: readUsage(apiServerPid).cpuSeconds,
  });
  return {
    async untilAtRest(program, isDone) {
      let last = sample(program);
      let resting = 0;
      await waitFor('the program comes to rest', { withinMs: deadlineMs, everyMs: sampleMs }, () => {
        const now = sample(program);
        const isResting = isDone() && now.cpuSeconds - last.cpuSeconds < restCpuSeconds;
        resting = isResting ? resting + 1 : 0;
        if (!isResting) last = now;
        return resting >= restSamples ? true : undefined;
      });
      return {
        wallSeconds: (last.atMs - program.startedMs) / 1000,
        cpuSeconds: last.cpuSeconds,
        peakMiB: last.peakMiB,
        apiServerCpuSeconds: last.apiServerCpuSeconds - apiServerStart,
        lists: place.service.answered.GET - answered.GET,
        patches: place.service.answered.PATCH - answered.PATCH,
        ...countsSince(counts, await readApiServerCounts(controlPlane)),
      };
    },
  };
}

/** After its start, a change of a CRD and the creation of a fleet it goes on working for seconds. */
async function untilApiServerRests(pid: number): Promise<void> {
  let last = readUsage(pid).cpuSeconds;
  let resting = 0;
  await waitFor('the API server comes to rest', { withinMs: 120_000, everyMs: 500 }, () => {
    const now = readUsage(pid).cpuSeconds;
    resting = now - last < restApiServerCpuSeconds ? resting + 1 : 0;
    last = now;
    return resting >= 4 || undefined;
  });
}
