// What a reconcile found about its connection, attributed to the spec that it used: an answer to an older spec, that comes after
// one to the present spec, says nothing any more.
import type { LookFailure } from '../plan/failures.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import type { Pass } from './pass.ts';

/** `failure` is undefined after a whole list. */
export function noteHealth(
  { tools, session, ref }: Pass,
  { connection, intervalMs }: { readonly connection: RoleAlertConnection; readonly intervalMs: number },
  failure: LookFailure | undefined,
): void {
  const { generation } = connection.metadata;
  if (session.triedGeneration !== undefined && session.triedGeneration > generation) return;
  tools.noteHealth(session, ref.scope, failure, intervalMs);
  session.noteTried(generation);
}
