// A scope as a preview plans it: what was gathered about it, its list, and the plan.
import type { Alert } from '../../alerts/types.ts';
import type { CodedError } from '../../lib/errors.ts';
import type { Plan, PlanInput, PolicyInput } from '../../operator/decide/decisions.ts';
import type { Deletion } from '../../policy/deletion.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';

/** Where a command found the token that it sent instead of the credential in the Secret of a connection. */
export interface TokenPlace {
  readonly name: string;
  /** How a person replaces the token: an imperative without a full stop. */
  readonly renewal: string;
}

/** `tokenPlace`: undefined for the credential in a Secret, and when nothing was sent. */
export interface FailedListing {
  readonly error: CodedError;
  readonly tokenPlace?: TokenPlace | undefined;
}

/** The complete list of a scope, or why there is none. */
export type Listing = { readonly alerts: readonly Alert[] } | FailedListing;

export interface PlannedScope {
  readonly ref: ScopeRef;
  /** Undefined when no object is the connection that the policies refer to. */
  readonly connection: AnyConnection | undefined;
  readonly deletion: Deletion;
  /** The policies that may list the scope. */
  readonly policies: readonly PolicyInput[];
  /** Those that the connection does not let list it. */
  readonly denied: readonly PolicyInput[];
  /** Undefined when the operator would not list the scope. */
  readonly listing: Listing | undefined;
  /** Undefined without a list. */
  readonly planned: { readonly input: PlanInput; readonly plan: Plan } | undefined;
}
