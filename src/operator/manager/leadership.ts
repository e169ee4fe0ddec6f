// Whether this process may work: always, or with --leader-elect while it holds the Lease. The Lease has its own
// connection to the API server, so that a renewal never queues behind status writes.
import { UsageError } from '../../lib/command-errors.ts';
import type { Values } from '../../lib/options/option.ts';
import type { Random } from '../../lib/random.ts';
import { longestPatchMs } from '../alert-client/client.ts';
import type { ApiServerConnection } from '../kube/api-server-connection.ts';
import { readPodNamespace } from '../kube/kubeconfig.ts';
import { LeaderElection, type LeaderElectionOptions } from '../kube/leader-election.ts';
import { createKubeTransport, type TransportObserver } from '../kube/transport.ts';
import { controllerOptions } from './controller-options.ts';

export interface Leadership {
  /** True while a PATCH sent now certainly ends before another replica may write. */
  mayWrite(): boolean;
  /** True while no other replica can be leader. */
  isLeading(): boolean;
  start(): void;
  /** Releases the Lease. Call it after everything that the Lease guards has ended. */
  stop(): Promise<void>;
}

/** Without leader election this process always leads. */
export const noLeaderElection: Leadership = {
  mayWrite: () => true,
  isLeading: () => true,
  start: () => undefined,
  stop: async () => undefined,
};

export interface LeadershipOptions extends Omit<LeaderElectionOptions, 'transport' | 'identity'> {
  readonly connect: () => ApiServerConnection;
  readonly observer: TransportObserver;
  readonly instance: string;
  readonly onLeading: (lease: string, isLeading: boolean) => void;
}

export function createLeadership(options: LeadershipOptions): Leadership {
  const { connect, observer, clock, random, name, onLeading } = options;
  const connection = connect();
  const election = new LeaderElection({
    ...options,
    transport: createKubeTransport({ connection, clock, observer }),
    identity: `${options.instance}_${randomText(random)}`,
    onAcquired() {
      onLeading(name, true);
      options.onAcquired();
    },
    onLost() {
      onLeading(name, false);
      options.onLost();
    },
  });
  onLeading(name, false);
  return {
    mayWrite: () => isTimeForPatch(election.leftMs),
    isLeading: () => election.leftMs > 0,
    start: () => election.start(),
    async stop() {
      await election.stop();
      onLeading(name, false);
      await connection.close();
    },
  };
}

/** True when a PATCH sent now ends before the Lease expires. `leftMs`: the time left, in milliseconds. */
export function isTimeForPatch(leftMs: number): boolean {
  return leftMs > longestPatchMs;
}

/**
 * Chooses the Lease as controller-runtime does. A wrong default namespace would let two replicas lead at once, and two
 * shards with one Lease would block each other.
 */
export function leaseOf(values: LeaseValues): { readonly namespace: string; readonly name: string } {
  const name = values.leaderElectionId;
  const namespace = values.leaderElectionNamespace ?? readPodNamespace();
  if (values.connectionSelector !== undefined && name === controllerOptions.leaderElectionId.fallback) {
    throw new UsageError(
      '--connection-selector needs a --leader-election-id of its own: two shards with one Lease would block each other.',
    );
  }
  if (namespace !== undefined) return { namespace, name };
  throw new UsageError(
    'Outside a Pod --leader-election-namespace is needed. For a trial with a single process set --leader-elect=false.',
  );
}

type LeaseValues = Pick<
  Values<typeof controllerOptions>,
  'leaderElectionId' | 'leaderElectionNamespace' | 'connectionSelector'
>;

/** Sixteen hexadecimal digits, so that a restarted replica has a new identity. */
function randomText(random: Random): string {
  const part = () =>
    Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return part() + part();
}
