// What a leader election is given: its Lease, its times, and whom it informs.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { KubeTransport } from './transport.ts';

export interface ElectionTiming {
  /** After a renewal, no other replica takes the Lease for this long. */
  readonly leaseMs: number;
  /** A holder that has not renewed the Lease for this long loses it. */
  readonly renewDeadlineMs: number;
  /** Between two renewals, and between two reads of a replica that waits. */
  readonly retryMs: number;
  /** For one request. */
  readonly tryDeadlineMs: number;
}

export const defaultTiming: ElectionTiming = {
  leaseMs: 35_000,
  renewDeadlineMs: 30_000,
  retryMs: 5000,
  tryDeadlineMs: 5000,
};

export interface LeaderElectionOptions {
  readonly transport: KubeTransport;
  readonly namespace: string;
  /** The name of the Lease. */
  readonly name: string;
  /** Unique among all processes, ever. */
  readonly identity: string;
  readonly timing?: ElectionTiming | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called at most once. */
  readonly onAcquired: () => void;
  /** Called at most once, after `onAcquired`; not after a release. */
  readonly onLost: () => void;
}
