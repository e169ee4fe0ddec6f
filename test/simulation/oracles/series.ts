// Metrics exist only for existing objects and show their statuses: once the world is quiet, no series of a policy or a connection that
// was deleted is left, and the conditions of a scrape are those that are stored.
import { connectionAt } from '../kube/connection-keys.ts';
import type { World } from '../world.ts';
import type { Report } from './oracle.ts';

interface Stored {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

export async function checkSeries(world: World, report: Report): Promise<void> {
  for (const { metricsURL, isAlive, name } of world.replicas) {
    if (!isAlive || metricsURL === undefined) continue;
    const text = await (await fetch(`${metricsURL}/metrics`)).text();
    for (const [, metric = '', namespace, object, rest = ''] of text.matchAll(series)) {
      const key = `${namespace}/${object}`;
      const { store } = world.api;
      const found = isOfPolicy(metric) ? store.get('rolealertpolicies', key) : connectionAt(store, key);
      if (!found) report(`${name} has a series ${metric} of ${key}, which does not exist`);
      else if (isUntrue(metric, rest, found.status))
        report(`${name} shows the condition ${rest} of ${key}, which is not stored`);
      else continue;
      return;
    }
  }
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
