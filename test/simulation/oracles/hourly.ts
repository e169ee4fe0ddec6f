// No more alerts are deactivated within an hour through one connection than it allows, whichever replica leads and however often it restarts.
// A process with a wrong clock counts wrongly, which it cannot detect.
import { keyOfCaller } from '../alerts/callers.ts';
import { connectionPlurals } from '../kube/connection-keys.ts';
import type { Json } from '../kube/spec-rules.ts';
import { SpecHistory } from './history.ts';
import type { Oracle } from './oracle.ts';

const hourMs = 3_600_000;
/** The operator counts a deactivation from its ledger entry, which may be this much older than the send. */
const entryMs = 60_000;

export const hourlyOracle: Oracle = {
  name: 'never more deactivations than an hour allows',
  watch(world, report) {
    const connections = new SpecHistory(world, ...connectionPlurals);
    const times = new Map<string, number[]>();
    world.onCall(({ kind, caller, isActive, sentAtMs, process, status }) => {
      if (kind !== 'patch' || caller === undefined || isActive !== false || world.hasWrongClocks) return;
      // The service refused it, so it deactivated nothing.
      if (status >= 400 && status < 500) return;
      const connection = keyOfCaller(caller);
      const versions = connections.during(sentAtMs - hourMs, sentAtMs, connection);
      // A connection that was created again under the same name is another one, with its own limit.
      const key = `${connection} ${versions.at(-1)?.object.metadata.uid}`;
      const recent = [...(times.get(key) ?? []), sentAtMs].filter((ms) => ms > sentAtMs - hourMs + entryMs);
      times.set(key, recent);
      const limits = versions.map(({ object: { spec = {} } }) =>
        Number(((spec['limits'] ?? {}) as Json)['deactivationsPerHour'] ?? 0),
      );
      const most = Math.max(...limits);
      if (recent.length > most)
        report(`${process} deactivated ${recent.length} alerts through ${connection}, which allows ${most}`);
    });
  },
};
