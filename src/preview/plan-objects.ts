// Plans objects as the operator would: groups them, lists their scopes and plans each.
import { previewPlans, type PlannedScope, type PreviewFacts } from '../plan/preview-plan.ts';
import { type DeclaredObjects, isListed, previewScopes } from '../plan/preview-scopes.ts';
import { ClientSet } from './client-set.ts';
import { connectionsOf, type ListProgress, listScopes } from './list-scopes.ts';
import type { ServiceAccess } from './open-client.ts';

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
  const scopes = previewScopes(objects, facts.nowMs);
  const clients = new ClientSet(connectionsOf(scopes.filter(isListed)), access);
  try {
    const listings = await listScopes(scopes, clients, signal, onProgress);
    return await use(previewPlans(scopes, listings, facts), clients);
  } finally {
    await clients.stop();
  }
}
