// Metrics exist only for existing objects: once the world is quiet, no series of a policy or a connection that was deleted is left.
import type { World } from '../world.ts';
import type { Report } from './oracle.ts';

export async function checkSeries(world: World, report: Report): Promise<void> {
  for (const { metricsURL, isAlive, name } of world.replicas) {
    if (!isAlive || metricsURL === undefined) continue;
    const text = await (await fetch(`${metricsURL}/metrics`)).text();
    for (const [, metric = '', namespace, object] of text.matchAll(/^(\w+)\{namespace="([^"]+)",name="([^"]+)"/gm)) {
      const key = `${namespace}/${object}`;
      if (world.api.store.get(pluralOf(metric), key)) continue;
      report(`${name} has a series ${metric} of ${key}, which does not exist`);
      return;
    }
  }
}

function pluralOf(metric: string): string {
  return /^rolealerts_(policy_|incidents$)/.test(metric) ? 'rolealertpolicies' : 'rolealertconnections';
}
