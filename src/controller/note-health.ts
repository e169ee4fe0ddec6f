// What a reconcile found about its connection, attributed to the spec that it used: an answer to an older spec, that comes after
// one to the present spec, says nothing any more.
import type { OperatorError } from '../lib/errors.ts';
import { failureOf, type LookFailure } from '../plan/failures.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import { isUndecided } from './gate.ts';
import type { Pass } from './pass.ts';

/** `error` is undefined after a whole list. Returns the failure as the scope's policies show it. */
export function noteHealth(
  { tools, session, ref }: Pass,
  { connection, intervalMs }: { readonly connection: RoleAlertConnection; readonly intervalMs: number },
  error: OperatorError | undefined,
): LookFailure | undefined {
  const failure = error && failureOf(error);
  // What a whole list proves is noted where the list ends.
  if (error) tools.neighbours.note(session, connection, ref.scope, error);
  const { generation } = connection.metadata;
  if (session.triedGeneration !== undefined && session.triedGeneration > generation) return failure;
  const shown = tools.noteHealth(session, ref.scope, { failure, intervalMs, retryAfterMs: error?.retryAfterMs });
  if (!isUndecided(session.gate)) session.noteTried(generation);
  return shown;
}
