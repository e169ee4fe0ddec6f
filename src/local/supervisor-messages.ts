// What the owner of a control plane and its supervisor say to each other.

/** One program of the control plane, as it is started. */
export interface Program {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Standard output and standard error are appended here. */
  readonly logPath: string;
}

export type ToSupervisor =
  | { readonly kind: 'start'; readonly program: Program }
  /** SIGTERM, and SIGKILL after `graceMs`. */
  | { readonly kind: 'stop'; readonly name: string; readonly graceMs: number }
  /** Outlive the owner. */
  | { readonly kind: 'stay' }
  /** End everything and delete the data. */
  | { readonly kind: 'end' };

export type FromSupervisor =
  | { readonly kind: 'started'; readonly name: string; readonly pid: number }
  | { readonly kind: 'exited'; readonly name: string; readonly how: string }
  | { readonly kind: 'staying' };
