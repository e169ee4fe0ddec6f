// Plans objects as the operator would: gathers their scopes, lists them and plans each.
import type { DeclaredObjects } from './file-objects.ts';
import { type ScopeListRequest, listScopes } from './list-scopes.ts';
import { type ClientOf, type ServiceAccess, withClients } from './open-client.ts';
import type { PlannedScope } from './planned-scope.ts';
import { type PreviewFacts, ScopePlanner } from './scope-planner.ts';

export interface PlanRequest extends Omit<PreviewFacts, 'trust'>, ScopeListRequest {
  readonly access: ServiceAccess;
}

/** Calls `use` with the plans, with the clients, which stop afterwards, and with the number of scopes that are as before. Rejects as `listScopes`. */
export async function planObjects<T>(
  objects: DeclaredObjects,
  { access, ...request }: PlanRequest,
  use: (planned: readonly PlannedScope[], clientOf: ClientOf, unchanged: number | undefined) => T | Promise<T>,
): Promise<T> {
  const { configMaps, credentials } = access;
  const { secrets, clusterNamespace } = credentials;
  const planner = new ScopePlanner(objects, { ...request, trust: { secrets, configMaps, clusterNamespace } });
  const connections = [...new Set(planner.due.map(({ connection }) => connection))];
  return withClients(connections, access, async (clientOf) =>
    use(planner.plan(await listScopes(planner.due, clientOf, request)), clientOf, planner.unchanged),
  );
}
