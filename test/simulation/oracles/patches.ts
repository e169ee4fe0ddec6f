// No PATCH without a reason: every PATCH needs a declaration of its connection that existed shortly before its send, a
// deactivation needs its grant, reason and bound as well, and nothing is touched that the last whole list did not hold.
import { keyOfCaller } from '../alerts/callers.ts';
import type { ServiceCall, ShownAlert } from '../alerts/sim-service.ts';
import { alertKey } from '../dismissed-alerts.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { connectionKeyOf, connectionPlurals } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import { competesForOwnership, declarationOf, originOf, scopeOf } from './declared.ts';
import { granted } from './granted.ts';
import { History } from './history.ts';
import { SeenLists } from './lists.ts';
import type { Oracle } from './oracle.ts';

/**
 * For so long a reason counts after it is gone. For an activation: a watch may be late or silent, and a reconcile waits for the rate
 * limiter. A deactivation is confirmed by a read of its own before it is sent, which ends within 30 s.
 */
const reasonLifeMs = { activate: 300_000, deactivate: 35_000 } as const;

type Fits = (policy: StoredObject, say: string, nowMs: number) => boolean;

export const patchOracle: Oracle = {
  name: 'no PATCH without a reason',
  watch(world, report) {
    const policies = new History(world, 'rolealertpolicies');
    const connections = new History(world, ...connectionPlurals);
    const namespaces = new History(world, 'namespaces');
    const lists = new SeenLists(world);
    const dismissed = new Set<string>();

    const grantsDuring = (policy: StoredObject, connection: StoredObject, fromMs: number, toMs: number) =>
      namespaces
        .during(fromMs, toMs, `/${policy.metadata.namespace}`)
        .flatMap((namespace) => granted(policy, connection, namespace) ?? []);
    const reasonsFor = (call: ServiceCall & { caller: string }, shown: ShownAlert, fits: Fits) => {
      const lifeMs = reasonLifeMs[call.isActive === true ? 'activate' : 'deactivate'];
      const fromMs = call.sentAtMs - lifeMs;
      const clockMs = world.clockOf(call.process)?.now() ?? 0;
      // A PATCH was planned in the tick of its send, and the clock may step while it is on its way.
      const moments = [clockMs, startOfTimeMs + call.sentAtMs, startOfTimeMs + fromMs, clockMs - lifeMs];
      return policies
        .during(fromMs, call.sentAtMs)
        .filter((policy) => scopeOf(policy) === call.scope.toLowerCase())
        .filter((policy) => connectionKeyOf(policy) === keyOfCaller(call.caller))
        .some((policy) =>
          connections
            .during(fromMs, call.sentAtMs, connectionKeyOf(policy))
            .filter((connection) => originOf(connection) === call.origin)
            .flatMap((connection) => grantsDuring(policy, connection, fromMs, call.sentAtMs))
            .some((each) =>
              moments.some((nowMs) =>
                fits(each.policy, declarationOf(each.policy, each.connection, shown, nowMs).say, nowMs),
              ),
            ),
        );
    };

    world.onCall((call) => {
      const { kind, process, caller, origin, scope, alert, isActive } = call;
      if (kind !== 'patch' || caller === undefined || isActive === undefined) return;
      const what = `${process} sent isActive=${isActive} for ${alert} of ${scope}`;
      const key = `${keyOfCaller(caller)} ${alertKey(origin, scope, alert)}`;
      const shown = lists
        .last({ process, caller, origin, scope })
        ?.find(({ name }) => name.toLowerCase() === alert.toLowerCase());
      if (!shown) {
        report(`${what}, which its last whole list did not hold`);
        return;
      }
      if (isActive) {
        const isInLedger = connections
          .during(call.sentAtMs - reasonLifeMs.activate, call.sentAtMs, keyOfCaller(caller))
          .some(
            (connection) => originOf(connection) === origin && hasEntry(connection, `${scope} ${alert}`.toLowerCase()),
          );
        if (
          dismissed.has(key) ||
          isInLedger ||
          reasonsFor(
            { ...call, caller },
            shown,
            (policy, say, nowMs) => competesForOwnership(policy, nowMs) && say === 'Active',
          )
        )
          return;
        report(`${what}, and no policy wanted that`);
      } else {
        dismissed.add(key);
        if (
          reasonsFor(
            { ...call, caller },
            shown,
            (policy, say, nowMs) => competesForOwnership(policy, nowMs) && say === 'Inactive',
          )
        )
          return;
        report(`${what}, and no policy dismissed it with grant, reason and bound`);
      }
    });
  },
};

/** Recorded as deactivated: after a crash before the PATCH, no process knows that it was never sent. */
function hasEntry({ status = {} }: StoredObject, key: string): boolean {
  const entries = (status['dismissals'] ?? []) as readonly { readonly scope: string; readonly alert: string }[];
  return entries.some(({ scope, alert }) => `${scope} ${alert}`.toLowerCase() === key);
}
