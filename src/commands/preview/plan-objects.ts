// Plans objects as the operator would: gathers their scopes, lists them and plans each.
import type { DeclaredObjects } from './file-objects.ts';
import { type ListProgress, listScopes } from './list-scopes.ts';
import { ClientSet, type ServiceAccess } from './open-client.ts';
import type { PlannedScope } from './planned-scope.ts';
import { type PreviewFacts, ScopePlanner } from './scope-planner.ts';

export interface PlanRequest extends PreviewFacts {
  readonly access: ServiceAccess;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ListProgress) => void;
}

/**
 * Calls `use` with the plans, and with the clients, which stop afterwards. Rejects with `usage` for a token that several
 * services would receive, and with `stopped` when the signal aborts.
 */
export async function planObjects<T>(
  objects: DeclaredObjects,
  { access, signal, onProgress, ...facts }: PlanRequest,
  use: (planned: readonly PlannedScope[], clients: ClientSet) => T | Promise<T>,
): Promise<T> {
  const planner = new ScopePlanner(objects, facts);
  const { due } = planner;
  const clients = new ClientSet([...new Set(due.map(({ connection }) => connection))], access);
  try {
    const asked = due.map(({ connection, ref: { scope } }) => ({ connection, scope }));
    const listings = await listScopes(asked, clients, signal, onProgress);
    return await use(planner.plan(new Map(due.map((scope, index) => [scope, listings[index]]))), clients);
  } finally {
    await clients.stop();
  }
}
