// Where a command reads: a cluster, as the person who runs the command, and the namespace that the flags name.
import type { KubeTransport } from '../../operator/kube/transport.ts';

export interface ClusterPlace {
  readonly transport: KubeTransport;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Receives a sentence about what is not shown. */
  readonly note: (sentence: string) => void;
}
