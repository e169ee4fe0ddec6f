// The states that the samples should reach.

/** The expected state of one sample. */
export interface Expectation {
  /** Status and reason of conditions: `Ready: 'True/Succeeded'`. */
  readonly conditions: Readonly<Record<string, string>>;
  /** The service's `isActive` of the sample's alert; undefined when the service does not list the alert. */
  readonly isActive: boolean | undefined;
  /** The last correction of the alert in `status.history`, which must also be verified. */
  readonly history?: {
    readonly direction: 'Activated' | 'Deactivated';
    readonly reason: string;
    readonly count: number;
  };
  /** True: the connection registers the dismissal of the alert with its end or bound and its reason. */
  readonly isRegistered?: true;
  /** At least so many events of each reason. */
  readonly events?: Readonly<Record<string, number>>;
}

const inSyncConditions = { Ready: 'True/Succeeded', InSync: 'True/InSync', ConnectionReady: 'True/Connected' };

/** Each correction but the first follows from a deactivation by others: the operator found the first drift when it began. */
export function corrected(count: number): Expectation {
  return {
    conditions: inSyncConditions,
    isActive: true,
    history: { direction: 'Activated', reason: 'Drift', count },
    events: { ...(count > 1 && { DeactivatedByOthers: count - 1 }), DriftCorrected: count },
  };
}

export const dismissed: Expectation = {
  conditions: inSyncConditions,
  isActive: false,
  history: { direction: 'Deactivated', reason: 'Dismissed', count: 1 },
  isRegistered: true,
  events: { AlertDeactivated: 1 },
};

export const outgrown: Expectation = {
  conditions: inSyncConditions,
  isActive: true,
  history: { direction: 'Activated', reason: 'NewIncidents', count: 1 },
  events: { IncidentsFound: 1, NewIncidents: 1 },
};

/** A scan that finds new incidents activates the alert itself, so the operator has nothing to correct. */
export const outgrownByScan: Expectation = {
  conditions: inSyncConditions,
  isActive: true,
  events: { IncidentsFound: 1, NewIncidents: 1 },
};

export const observed: Expectation = {
  conditions: { Ready: 'True/Observed', InSync: 'False/ObserveOnly' },
  isActive: false,
  events: { DriftDetected: 1 },
};

export const refused: Expectation = {
  conditions: { Ready: 'False/DeactivationDenied', Stalled: 'True/DeactivationDenied' },
  isActive: true,
  events: { DeactivationDenied: 1 },
};

export const missing: Expectation = {
  conditions: { Ready: 'False/AlertNotFound', InSync: 'False/AlertNotFound' },
  isActive: undefined,
  events: { AlertNotFound: 1 },
};
