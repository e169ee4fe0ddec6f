// One moment of the timeline at which time alone changes what the operator does.

export type TimelineKind = 'DismissalEnds' | 'DismissalAllowed' | 'SuspensionEnds' | 'WindowsOpen' | 'WindowsClose';

export interface TimelineChange {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly kind: TimelineKind;
  /** `policy NAMESPACE/NAME`, or the connection. */
  readonly object: string;
  /** What changes then: a sentence without a full stop. */
  readonly effect: string;
  readonly scope?: string;
  readonly alert?: string;
  /** The reason of the dismissal. */
  readonly reason?: string;
  /** Entries of the same windows have the same number. */
  readonly windows?: number;
}
