// The messages between the owner of a control plane and its supervisor.

/** One program of the control plane. */
export interface Program {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** The file to append standard output and standard error to. */
  readonly logPath: string;
}

export type ToSupervisor =
  | { readonly kind: 'start'; readonly program: Program }
  /** Send SIGTERM, and SIGKILL after `graceMs`. */
  | { readonly kind: 'stop'; readonly name: string; readonly graceMs: number }
  /** Outlive the owner. */
  | { readonly kind: 'stay' }
  /** Kill every program and delete the data. */
  | { readonly kind: 'end' };

export type FromSupervisor =
  | { readonly kind: 'started'; readonly name: string; readonly pid: number }
  | { readonly kind: 'exited'; readonly name: string; readonly how: string }
  | { readonly kind: 'staying' };
