// How an attempt ends. The controller produces an outcome; conclude.ts decides what follows from it.
import type { AlertsError } from '../../alerts/alerts-error.ts';
import type { CodedError } from '../../lib/errors.ts';
import type { Plan } from './decisions.ts';
import type { ReconcileFailure } from './failures.ts';
import type { Correction } from './memory.ts';

/** The plan of the last complete list, and what the lists of the attempt have verified. It is recorded even if nothing could be sent. */
export interface ListedPlan {
  readonly plan: Plan;
  readonly corrections: readonly Correction[];
}

/** How an attempt ended. */
export type Outcome = { readonly listed?: ListedPlan } & (
  | /** No policy and no entry of the ledger needs the scope, or another shard serves it. */ {
      readonly kind: 'NotNeeded';
    }
  | /** The connection does not exist yet, and another shard may serve it once it does; or the namespace is not known yet. */ {
      readonly kind: 'Deferred';
      readonly delayMs: number;
    }
  | { readonly kind: 'NoConnection' }
  | /** The connection or its namespace is being deleted, and the ledger has no entry for the scope. */ {
      readonly kind: 'Deleting';
    }
  | /** The connection does not let the policy list the scope. */ { readonly kind: 'AccessDenied' }
  | /** Every policy is suspended, and the ledger has no entry for the scope. */ { readonly kind: 'Suspended' }
  | /** The connection waits or pauses, and the scope with it. */ {
      readonly kind: 'Blocked';
      readonly failure: ReconcileFailure;
    }
  | /** An edit of the scope aborted the wait for the rate limiter before any PATCH was sent. */ {
      readonly kind: 'Interrupted';
    }
  | /** The list failed, or the service failed before a PATCH was sent. */ {
      readonly kind: 'Failed';
      readonly error: AlertsError;
    }
  | /** No action was sent, because the plan was outdated. */ {
      readonly kind: 'Outdated';
      readonly listed: ListedPlan;
      readonly detail: string | undefined;
    }
  | Planned
  | /** The API server, a bug or a stop ended it. */ { readonly kind: 'Broken'; readonly error: unknown }
);

/** A complete list, and how much of its plan was sent. */
export interface Planned {
  readonly kind: 'Planned';
  readonly listed: ListedPlan;
  /** `Verified`: a complete list began after the last PATCH. */
  readonly sent: 'Nothing' | 'Unverified' | 'Verified';
  /** True when the batch was a part of the plan and the rest is due immediately. */
  readonly isPartial: boolean;
  /** The error that ended the sending or the verifying list. */
  readonly error: CodedError | undefined;
}

export type OutcomeOf<K extends Outcome['kind']> = Extract<Outcome, { kind: K }>;
