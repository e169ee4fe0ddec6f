// CPU, memory and wall time for 1,000 policies on 1,000 scopes next to the baseline, what an idle operator
// takes, and how soon an edit is on the wire.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { fleetPolicies, type FleetShape } from '../support/builders/fleet.ts';
import { countsSince, readApiServerCounts } from '../support/checks/api-server-counts.ts';
import { startSocketTap } from '../support/servers/socket-tap.ts';
import type { BaselineJob } from './baseline.ts';
import { measureEdits } from './edits.ts';
import { startProgram, type Usage } from './programs.ts';
import { placeFleet, serviceToken, startOperator, startService, type Setup } from './setup.ts';
import { countRow, type Findings, type Row } from './table.ts';
import { waitFor } from './wait.ts';

const shape: FleetShape = {
  scopes: 1000,
  policiesPerScope: 1,
  alertsPerPolicy: 4,
  driftedPerPolicy: 2,
  incidentsPerAlert: 3,
};
const corrections = shape.scopes * shape.driftedPerPolicy;
const idleSeconds = 30;

interface Run {
  readonly wallSeconds: number;
  readonly usage: Usage;
}

export async function measureSpeed(setup: Setup): Promise<Findings> {
  const operator = await runOperator(setup);
  const baseline = await runBaseline(setup, operator.job);
  const ratioRow = (name: string, unit: string, [value, baselineValue]: [number, number], goal?: string): Row => ({
    name,
    value: `${value.toFixed(2)} ${unit}`,
    baseline: `${baselineValue.toFixed(2)} ${unit}`,
    ratio: value / baselineValue,
    ...(goal !== undefined && { goal }),
  });
  return {
    title: '1,000 policies on 1,000 scopes, 4 alerts of 3 incidents each, 2 of them drifted',
    rows: [
      ...operator.counts,
      ratioRow('wall time', 's', [operator.wallSeconds, baseline.wallSeconds]),
      ratioRow('CPU', 's', [operator.usage.cpuSeconds, baseline.usage.cpuSeconds], 'ratio ≤ 1.50'),
      ratioRow('peak RSS', 'MiB', [operator.usage.peakMiB, baseline.usage.peakMiB], '< 120 MiB'),
      { name: `idle CPU in ${idleSeconds} s`, value: `${operator.idleCpuSeconds.toFixed(2)} s`, goal: '< 0.10 s' },
      { name: 'edit to PATCH, median', value: `${operator.edits.medianMs.toFixed(1)} ms`, goal: '≤ 10 ms' },
      { name: 'edit to PATCH, 95 of 100', value: `${operator.edits.slowMs.toFixed(1)} ms` },
      { name: 'peak RSS at the end', value: `${operator.lastPeakMiB.toFixed(2)} MiB`, goal: '< 120 MiB' },
    ],
  };
}

async function runOperator(setup: Setup) {
  const service = await startService(setup, 'speed', shape);
  const tap = await startSocketTap(Number(new URL(service.url).port));
  const fleet = await placeFleet(setup, 'speed', `http://127.0.0.1:${tap.port}`, shape);
  const before = await readApiServerCounts(setup.controlPlane);
  const program = await startOperator(setup, 'speed', { interval: '15m' });
  try {
    const done = await waitFor('everything corrected and reported', { withinMs: 120_000, everyMs: 100 }, async () => {
      if (service.answered.PATCH < corrections) return undefined;
      const counts = countsSince(before, await readApiServerCounts(setup.controlPlane));
      const isDone = counts.policyStatusWrites >= shape.scopes && counts.eventsCreated >= shape.scopes;
      return isDone ? { ...counts, usage: program.usage(), atMs: performance.now() } : undefined;
    });
    const counts = [
      countRow('LISTs', service.answered.GET, 2 * shape.scopes),
      countRow('PATCHes', service.answered.PATCH, corrections),
      countRow('policy status writes', done.policyStatusWrites, shape.scopes),
      // One for each policy, because its corrections have one reason.
      countRow('events', done.eventsCreated, shape.scopes),
    ];
    const job = await describeJob(setup);
    const idleStart = program.usage().cpuSeconds;
    await delay(idleSeconds * 1000);
    const idleCpuSeconds = program.usage().cpuSeconds - idleStart;
    const edits = await measureEdits(setup, { namespace: 'speed', policies: fleetPolicies(shape), service, tap });
    const wallSeconds = (done.atMs - program.startedMs) / 1000;
    return { wallSeconds, usage: done.usage, counts, job, idleCpuSeconds, edits, lastPeakMiB: program.usage().peakMiB };
  } finally {
    await program.stop();
    await fleet.remove();
    await tap.stop();
    await service.stop();
  }
}

/** A status and the events of one policy, as the operator wrote them. */
async function describeJob({ requests, controlPlane }: Setup): Promise<Omit<BaselineJob, 'service' | 'secretPath'>> {
  const [policy] = fleetPolicies(shape);
  const { body } = await requests.send(
    'GET',
    `/apis/rolealerts.dev/v1alpha1/namespaces/speed/rolealertpolicies/${policy?.name}`,
  );
  const path = '/apis/events.k8s.io/v1/namespaces/speed/events?limit=500';
  const list = (await requests.send('GET', path)).body as {
    items?: { regarding: { name: string }; metadata: object }[];
  };
  const [first] = list.items ?? [];
  const events = (list.items ?? []).filter(({ regarding }) => regarding.name === first?.regarding.name);
  return {
    kube: {
      url: controlPlane.url,
      token: controlPlane.adminToken.reveal(),
      certificateAuthority: controlPlane.certificateAuthority,
    },
    status: body?.status as object,
    events,
  };
}

async function runBaseline(setup: Setup, job: Omit<BaselineJob, 'service' | 'secretPath'>): Promise<Run> {
  const service = await startService(setup, 'baseline', shape);
  const tap = await startSocketTap(Number(new URL(service.url).port));
  const fleet = await placeFleet(setup, 'baseline', service.url, shape);
  const jobFile = join(setup.directory, 'baseline-job.json');
  const whole: BaselineJob = {
    ...job,
    service: { url: `http://127.0.0.1:${tap.port}`, token: serviceToken },
    secretPath: '/api/v1/namespaces/baseline/secrets/fleet-credential',
  };
  await writeFile(jobFile, JSON.stringify(whole));
  const { promise, resolve } = Promise.withResolvers<number>();
  const program = startProgram({
    args: [setup.baselineFile, jobFile],
    onLine: () => resolve(performance.now()),
    logPath: join(setup.directory, 'baseline.log'),
  });
  try {
    const doneMs = await promise;
    return { wallSeconds: (doneMs - program.startedMs) / 1000, usage: program.usage() };
  } finally {
    await program.stop();
    await fleet.remove();
    await tap.stop();
    await service.stop();
  }
}
