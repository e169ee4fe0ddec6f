// The dismissals that the statuses of a connection's policies hold for its endpoint: the ledger of an earlier connection of the same
// name, or the one of this connection after its status was lost.
import type { Logger } from '../lib/log.ts';
import { inheritedFrom } from '../plan/dismissal-marks.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { Ledger } from './ledger.ts';
import { connectionFields } from './log-fields.ts';
import { type PolicyIndex } from './policy-index.ts';
import type { ClusterPort } from './ports.ts';

export interface InheritDeps {
  readonly policyIndex: PolicyIndex;
  readonly cluster: Pick<ClusterPort, 'policies'>;
}

/** `endpoint`: see `endpointKey`. */
export function inheritedDismissals(
  { policyIndex, cluster }: InheritDeps,
  connection: string,
  endpoint: string,
): DismissalRecord[] {
  const keys = [...policyIndex.scopesOf(connection)].flatMap((scope) => policyIndex.policiesAt({ connection, scope }));
  return keys.flatMap((key) => {
    const policy = cluster.policies.get(key);
    return policy ? inheritedFrom(policy, endpoint) : [];
  });
}

/** Takes over the entries that the ledger lacks, as far as it has room, and logs them. */
export function takeOverInherited(
  { key, log }: { readonly key: string; readonly log: Logger },
  { ledger, hasRoom }: { readonly ledger: Ledger; readonly hasRoom: () => boolean },
  entries: readonly DismissalRecord[],
): void {
  const missing = entries.filter((entry) => !ledger.find(entry));
  const taken: DismissalRecord[] = [];
  for (const entry of missing) {
    if (!hasRoom()) break;
    ledger.takeOver(entry);
    taken.push(entry);
  }
  const left = missing.slice(taken.length);
  if (taken.length > 0) log.info(fieldsOf(key, taken), 'dismissals taken over from the statuses of policies');
  if (left.length > 0) log.error(fieldsOf(key, left), 'dismissals not taken over, the ledger is full');
}

function fieldsOf(connection: string, entries: readonly DismissalRecord[]): object {
  return { ...connectionFields(connection), alerts: entries.map(({ scope, alert }) => ({ scope, alert })) };
}
