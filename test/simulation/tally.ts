// Counts of what came up in a world: how often something was written, and which decisions were taken.
import type { Json } from './kube/spec-rules.ts';
import type { World } from './world.ts';

export function countIn(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** PATCHes to the service, and writes to Kubernetes other than the renewals of a Lease. */
export function countMutations(world: World): void {
  world.service.onCall.push(({ kind, process, alert, isActive }) => {
    if (kind !== 'patch') return;
    world.mutations++;
    world.lastMutation = `${process} PATCH ${alert} ${isActive}`;
  });
  world.api.onWrite.push(({ process, method, path, body }, { resource }) => {
    if (resource.plural === 'leases') return;
    world.mutations++;
    world.lastMutation = `${process} ${method} ${path} ${body}`;
  });
}

/** Reasons, results and events, as statuses and Events show them. */
export function countBranches(world: World): void {
  world.api.onWrite.push((_request, { resource }, object) => {
    const { branches } = world;
    if (resource.plural === 'events') countIn(branches, `event: ${String(object['reason'])}`);
    const status = object.status ?? {};
    for (const { type, reason } of (status['conditions'] ?? []) as readonly Json[]) {
      countIn(branches, `${resource.plural} ${String(type)}: ${String(reason)}`);
    }
    for (const { result, state } of (status['alerts'] ?? []) as readonly Json[]) {
      countIn(branches, `result: ${String(result)}`);
      countIn(branches, `state: ${String(state)}`);
    }
  });
}
