// Which operators serve a connection: exactly one should. Pure.
import { isSelected, parseLabelSelector } from '../../lib/label-selector.ts';
import type { AnyConnection } from '../../policy/resources.ts';

/** What the options of an operator select. */
export interface Shard {
  /** `NAMESPACE/NAME` of its Deployment. */
  readonly deployment: string;
  /** Undefined for all connections. */
  readonly connectionSelector: string | undefined;
  /** Empty for all. */
  readonly watchNamespaces: readonly string[];
}

export interface ShardProblem {
  readonly reason: 'NoShard' | 'SeveralShards';
  readonly message: string;
  /** What to do, one sentence. */
  readonly fix: string;
}

/** Undefined when one operator serves the connection. `shards`: all of the cluster, at least one. */
export function shardProblem(connection: AnyConnection, shards: readonly Shard[]): ShardProblem | undefined {
  const { namespace, labels } = connection.metadata;
  const selecting = shards.filter(({ connectionSelector, watchNamespaces: names }) => {
    const isWatched = namespace === undefined || names.length === 0 || names.includes(namespace);
    return isWatched && (connectionSelector === undefined || selects(connectionSelector, labels));
  });
  if (selecting.length === 0) {
    return {
      reason: 'NoShard',
      message: `No operator serves it: none of the Deployments ${namesOf(shards)} selects it.`,
      fix: 'Correct its labels, or --connection-selector of one of them.',
    };
  }
  // Permissions decide whether an operator of some namespaces serves a ClusterRoleAlertConnection.
  const certain = selecting.filter(({ watchNamespaces }) => namespace !== undefined || watchNamespaces.length === 0);
  if (certain.length < 2) return undefined;
  return {
    reason: 'SeveralShards',
    message: `Several operators serve it, and each corrects what the others write: those of the Deployments ${namesOf(certain)}.`,
    fix: 'Narrow --connection-selector until exactly one of them selects it.',
  };
}

/** The operator does not start with a selector that is not valid. */
function selects(text: string, labels: AnyConnection['metadata']['labels']): boolean {
  const selector = parseLabelSelector(text);
  return selector !== undefined && isSelected(selector, labels);
}

function namesOf(shards: readonly Shard[]): string {
  return shards.map(({ deployment }) => deployment).join(', ');
}
