// What a plan would change, and why it would change nothing where a reader may wonder, as data for every format of `rolealerts plan`.
import type { ActionCause } from '../../operator/decide/memory.ts';
import type { DriftActor } from '../../policy/generated/role-alert-policy.ts';
import type { ShownDismissal } from './preview-sentences.ts';

/** What the previews of all scopes have in common. */
export interface PreviewContext {
  /** The time that the plan is for; milliseconds since 1970. */
  readonly nowMs: number;
  /** `Cluster`: statuses hold the ledger and the recent deactivations. `Files`: these are assumed empty. */
  readonly memory: 'Cluster' | 'Files';
  /** The only namespace that was read from a cluster; undefined for all, and for files. */
  readonly namespace?: string | undefined;
  /** The namespace of the Secrets of every ClusterRoleAlertConnection. */
  readonly clusterNamespace: string;
}

export interface Preview extends PreviewContext {
  readonly scopes: readonly ScopePreview[];
}

export interface ScopePreview {
  /** The key of the connection. */
  readonly connection: string;
  readonly scope: string;
  /** As `namespace/name`. */
  readonly policies: readonly string[];
  readonly changes: readonly PreviewChange[];
  readonly notes: readonly PreviewNote[];
}

/** One PATCH. */
export interface PreviewChange {
  readonly alert: string;
  readonly action: 'Activate' | 'Deactivate';
  /** Undefined for a dismissal of the ledger that no policy declares any more. */
  readonly policy: string | undefined;
  readonly cause: ActionCause;
  /** The cause in words, without a full stop. */
  readonly because: string;
  /** The class of actor that probably made the change necessary. */
  readonly actor: DriftActor;
  readonly severity: string | undefined;
  readonly incidents: number;
  /** Of a deactivation. */
  readonly dismissal: ShownDismissal | undefined;
}

/**
 * `Failed`: the preview cannot tell what would change. `Held`: a correction that waits. `NotApplied`: declared, and neither
 * corrected nor waiting. `InForce`: why an alert or a policy stays as it is.
 */
export type NoteKind = 'Failed' | 'Held' | 'NotApplied' | 'InForce';

export interface PreviewNote {
  readonly kind: NoteKind;
  /** Undefined where it concerns the whole policy or scope. */
  readonly alert: string | undefined;
  readonly policy: string | undefined;
  /** The reason of the condition that a policy would show, or a word of this command. */
  readonly reason: string;
  /** Sentences with the next step. */
  readonly message: string;
  /** When the wait ends, if that is known; milliseconds since 1970. */
  readonly untilMs: number | undefined;
}

export interface PreviewTotals {
  readonly scopes: number;
  readonly activations: number;
  readonly deactivations: number;
  readonly held: number;
  /** Scopes about which the preview cannot tell. */
  readonly failed: number;
}

export function totalsOfPreview({ scopes }: Preview): PreviewTotals {
  const changes = scopes.flatMap((scope) => scope.changes);
  const activations = changes.filter(({ action }) => action === 'Activate').length;
  return {
    scopes: scopes.length,
    activations,
    deactivations: changes.length - activations,
    held: scopes.flatMap(({ notes }) => notes).filter(({ kind }) => kind === 'Held').length,
    failed: scopes.filter(isFailed).length,
  };
}

export function isFailed({ notes }: ScopePreview): boolean {
  return notes.some(({ kind }) => kind === 'Failed');
}
