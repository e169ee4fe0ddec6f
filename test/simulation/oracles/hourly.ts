// No more alerts are turned off within an hour through one connection than it allows, whoever leads and however often it is started
// anew. A process whose clock was set wrong reckons wrongly, and nobody could tell it.
import type { Json } from '../kube/spec-rules.ts';
import { keyOfCaller } from './budget.ts';
import { History } from './history.ts';
import type { Oracle } from './oracle.ts';

const hourMs = 3_600_000;

export const hourlyOracle: Oracle = {
  name: 'never more deactivations than an hour allows',
  watch(world, report) {
    const connections = new History(world, 'rolealertconnections');
    const times = new Map<string, number[]>();
    world.service.onCall.push(({ kind, caller, isActive, sentAtMs, process }) => {
      if (kind !== 'patch' || caller === undefined || isActive !== false || world.hasWrongClocks) return;
      const connection = keyOfCaller(caller);
      const versions = connections.during(sentAtMs - hourMs, sentAtMs, connection);
      // Made anew under the same name, it is another connection with an hour of its own.
      const key = `${connection} ${versions.at(-1)?.metadata.uid}`;
      const recent = [...(times.get(key) ?? []), sentAtMs].filter((ms) => ms > sentAtMs - hourMs + 1000);
      times.set(key, recent);
      const limits = versions.map(({ spec = {} }) =>
        Number(((spec['limits'] ?? {}) as Json)['deactivationsPerHour'] ?? 0),
      );
      const most = Math.max(...limits);
      if (recent.length > most)
        report(`${process} turned off ${recent.length} alerts through ${connection}, which allows ${most}`);
    });
  },
};
