// What the sending of a batch needs from its reconcile.
import type { AlertClient, CallOptions } from '../alert-client/alert-client.ts';
import type { Action } from '../plan/decisions.ts';
import type { SentWrite } from '../plan/memory.ts';
import type { SentDeactivation } from './deactivations.ts';
import type { Observer } from './ports.ts';

export interface ApplyInput {
  readonly connection: string;
  readonly scope: string;
  readonly actions: readonly Action[];
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Number of requests of one list. */
  readonly pages: number;
  readonly intervalMs: number;
}

export interface ApplyDeps {
  readonly client: AlertClient;
  readonly observer: Observer;
  readonly nowMs: () => number;
  /** Throws `plan-outdated` unless the action would be planned now. */
  readonly check: (action: Action) => void;
  /** Like `check`, for a deactivation in the tick of its send; the list has to be fresh as well. */
  readonly checkRecorded: (action: Action, recorded: RecordedDismissal) => void;
  /** Records a deactivation in the ledger before it is sent. */
  readonly recordDismissal: (action: Action) => Promise<RecordedDismissal>;
  /** Confirms at the API server that the deactivation is still declared and granted. */
  readonly confirm: (action: Action) => Promise<void>;
  /** Lists again unless the list is fresh. `Slowly`: that took so long that a confirmation before it is old. */
  readonly freshen: (call: CallOptions) => Promise<'Slowly' | undefined>;
  readonly noteSent: (alert: string, write: SentWrite) => void;
  /** Called after every PATCH with whether it reached the service. */
  readonly reportReachability: (isReached: boolean) => void;
  /** False when a list has to show that the service responds before anything more is sent. */
  readonly mayContinue: () => boolean;
  /** Throws unless this process may write now. Called in the tick of the send. */
  readonly checkMayWrite: () => void;
}

/** A deactivation that the ledger has and that is not sent yet. */
export interface RecordedDismissal {
  /** When it was recorded; monotonic milliseconds. */
  readonly atMs: number;
  /** Restores the previous entry. For a deactivation that certainly had no effect. */
  readonly cancel: () => void;
  /** Counts it for damping and for the hour: from its record, and then from its send. */
  readonly sent: SentDeactivation;
}
