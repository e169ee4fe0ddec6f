// Metrics exist only for existing objects: once the world is quiet, no series of a policy or a connection that was deleted is left.
import type { World } from '../world.ts';
import type { Report } from './oracle.ts';

const labels = { policy: 'rolealertpolicies', connection: 'rolealertconnections' } as const;

export async function checkSeries(world: World, report: Report): Promise<void> {
  for (const { metricsURL, isAlive, name } of world.replicas) {
    if (!isAlive || metricsURL === undefined) continue;
    const text = await (await fetch(`${metricsURL}/metrics`)).text();
    for (const [, label, key = ''] of text.matchAll(/\b(policy|connection)="([^"]+)"/g)) {
      const plural = labels[label as keyof typeof labels];
      if (world.api.store.get(plural, key) || isNamed(world, key)) continue;
      report(`${name} has a series of ${label} ${key}, which does not exist`);
      return;
    }
  }
}

/** A connection that does not exist has a series while policies name it. */
function isNamed({ api }: World, key: string): boolean {
  return api.store
    .list('rolealertpolicies')
    .some(
      ({ metadata, spec = {} }) => `${metadata.namespace}/${(spec['connectionRef'] as { name: string }).name}` === key,
    );
}
