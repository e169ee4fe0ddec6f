// An alert as the simulated service keeps it.

export interface SimIncident {
  readonly id: string;
  readonly type: string;
  /** A person: must never leave the service. */
  readonly assigneeName: string;
}

export interface SimAlert {
  /** The current spelling. */
  name: string;
  severity: string;
  isEnabled: boolean;
  /** The real state. */
  isActive: boolean;
  /** The state that lists show until `shownFromMs` (virtual time); after that they show the real one. */
  shownActive: boolean;
  shownFromMs: number;
  incidents: readonly SimIncident[];
  /** Incidents that the service counts and does not list. */
  hiddenIncidents: number;
  /** Wall time. */
  scannedAtMs: number;
  changedAtMs: number;
  modified: { readonly atMs: number; readonly byType: string };
}

export function simAlert(name: string, isActive: boolean, wallMs: number): SimAlert {
  return {
    name,
    severity: 'Medium',
    isEnabled: true,
    isActive,
    shownActive: isActive,
    shownFromMs: 0,
    incidents: [],
    hiddenIncidents: 0,
    scannedAtMs: wallMs,
    changedAtMs: wallMs,
    modified: { atMs: wallMs, byType: 'User' },
  };
}

/** Names are compared without regard to case. */
export function sameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
