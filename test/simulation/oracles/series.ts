// Metrics exist only for existing objects and show their statuses: once the world is quiet, no series of a policy or a connection that
// was deleted is left, and the conditions of a scrape are those that are stored.
import { connectionAt } from '../kube/connection-keys.ts';
import type { World } from '../world.ts';
import type { Report } from './oracle.ts';

interface Stored {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

/** Longer than a request and its event in a watch take: a status may be on its way. */
const settleMs = 2000;

export async function checkSeries(world: World, report: Report): Promise<void> {
  const wrong = await wrongSeries(world);
  if (wrong.length === 0) return;
  await world.time.runUntil(world.time.nowMs + settleMs);
  const later = await wrongSeries(world);
  const lasting = wrong.find((what) => later.includes(what));
  if (lasting !== undefined) report(lasting);
}

async function wrongSeries(world: World): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const replica of world.replicas) {
    const { isAlive, name } = replica;
    if (!isAlive) continue;
    const text = await replica.scrape();
    for (const [, metric = '', namespace, object, rest = ''] of text.matchAll(series)) {
      const key = `${namespace}/${object}`;
      const { store } = world.api;
      const found = isOfPolicy(metric) ? store.get('rolealertpolicies', key) : connectionAt(store, key);
      if (!found) wrong.push(`${name} has a series ${metric} of ${key}, which does not exist`);
      else if (isUntrue(metric, rest, found.status))
        wrong.push(`${name} shows the condition ${rest} of ${key}, which is not stored`);
    }
  }
  return wrong;
}

const series = /^(\w+)\{namespace="([^"]+)",name="([^"]+)"(.*)\} \S+$/gm;

function isOfPolicy(metric: string): boolean {
  return /^rolealerts_(policy_|incidents$)/.test(metric);
}

function isUntrue(metric: string, labels: string, status: Stored | undefined): boolean {
  if (!metric.endsWith('_condition')) return false;
  const stored = status?.conditions ?? [];
  return !stored.some((each) => labels === `,type="${each.type}",status="${each.status}",reason="${each.reason}"`);
}
