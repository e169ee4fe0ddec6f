// Coverage counts of a world: how often each kind of write and each reason occurred.
import type { StoredObject } from './kube/object.ts';
import type { Json } from './kube/spec-rules.ts';
import type { World } from './world.ts';

export function countIn(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** PATCHes to the service, and writes to Kubernetes other than the renewals of a Lease. */
export function countMutations(world: World): void {
  world.onCall(({ kind, process, alert, isActive, status }) => {
    // One that the service refuses writes nothing; the oracle of storms counts it.
    if (kind !== 'patch' || status === 403) return;
    world.mutations++;
    world.lastMutation = `${process} PATCH ${alert} ${isActive}`;
  });
  world.onCall(({ kind, isActive, wasActive, caller }) => {
    if (kind !== 'patch' || caller === undefined || isActive === undefined) return;
    const what = isActive ? 'activation' : 'deactivation';
    countIn(world.counts, wasActive === isActive ? `done ${what} in vain` : `done ${what}`);
  });
  world.api.onWrite.push(({ process, method, path, body }, { resource }) => {
    if (resource.plural === 'leases') return;
    world.mutations++;
    world.lastMutation = `${process} ${method} ${path} ${body}`;
  });
}

/** Reasons, as conditions show them, and steps of Ready from one to another. */
export function countReasons({ api, counts }: World): void {
  api.store.onChange(({ object, previous }) => {
    const [before, after] = [previous, object].map(readyOf);
    if (before !== after && before !== undefined && after !== undefined) countIn(counts, `Ready ${before} → ${after}`);
  });
  api.onWrite.push((_request, { resource }, { status = {} }) => {
    if (!resource.plural.includes('rolealert')) return;
    for (const { reason } of (status['conditions'] ?? []) as readonly Json[])
      countIn(counts, `reason ${String(reason)}`);
  });
}

function readyOf(object: StoredObject | undefined): string | undefined {
  const conditions = ((object?.status ?? {})['conditions'] ?? []) as readonly Json[];
  const reason = conditions.find(({ type }) => type === 'Ready')?.['reason'];
  return typeof reason === 'string' ? reason : undefined;
}
