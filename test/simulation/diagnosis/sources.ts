// The four sources from which a failure is diagnosed, each as the texts that they print: kubectl without events, the events,
// the metrics endpoint, and the log as people read it. Each text is one record: a row, an object, an event, a series, a line.
import { formatLogLine } from '../../../src/lib/log-text.ts';
import { type Columns, describeText, getRow, printedPlurals } from '../../support/checks/kubectl-text.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { StoredObject } from '../kube/object.ts';
import type { World } from '../world.ts';

export const sourceNames = ['get', 'describe', 'events', 'log', 'metrics'] as const;
export type SourceName = (typeof sourceNames)[number];

export type Sources = Readonly<Record<SourceName, readonly string[]>>;

/** What the sources show now. Logs of level debug are left out: the operator does not write them by default. */
export async function readSources(world: World, columns: Columns): Promise<Sources> {
  const { api, time } = world;
  const nowMs = startOfTimeMs + time.nowMs;
  const objects = printedPlurals.flatMap((plural) => api.store.list(plural).map((object) => ({ plural, object })));
  return {
    get: objects.map(({ plural, object }) => getRow(columns[plural], object, nowMs)),
    describe: objects.map(({ object }) => describeText(object)),
    events: api.store.list('events').map(eventText),
    log: logText(world),
    metrics: await seriesOf(world),
  };
}

/** As `kubectl events -A` prints it, without the time. */
function eventText(event: StoredObject): string {
  const { type, reason, regarding, note } = event as unknown as Readonly<Record<string, string>> & {
    readonly regarding: Readonly<Record<'kind' | 'namespace' | 'name', string>>;
  };
  return `${regarding.namespace}  ${type}  ${reason}  ${regarding.kind}/${regarding.name}  ${note}`;
}

export function logText({ lines }: World): string[] {
  return lines.filter((line) => !line.startsWith('{"level":"debug"')).map(formatLogLine);
}

/** Series of the replica that was started last, without help and type. */
async function seriesOf({ replicas }: World): Promise<string[]> {
  const text = (await replicas.at(-1)?.scrape()) ?? '';
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
