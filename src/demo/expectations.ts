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
  /** At least `count` events with this reason. */
  readonly event?: { readonly reason: string; readonly count: number };
}

export const inSyncConditions = { Ready: 'True/Succeeded', InSync: 'True/InSync', ConnectionReady: 'True/Connected' };

export function corrected(count: number): Expectation {
  return {
    conditions: inSyncConditions,
    isActive: true,
    history: { direction: 'Activated', reason: 'Drift', count },
    event: { reason: 'DriftCorrected', count },
  };
}

export const dismissed: Expectation = {
  conditions: inSyncConditions,
  isActive: false,
  history: { direction: 'Deactivated', reason: 'Dismissed', count: 1 },
  event: { reason: 'AlertDeactivated', count: 1 },
};

export const outgrown: Expectation = {
  conditions: inSyncConditions,
  isActive: true,
  history: { direction: 'Activated', reason: 'NewIncidents', count: 1 },
  event: { reason: 'NewIncidents', count: 1 },
};

export const observed: Expectation = {
  conditions: { Ready: 'True/Observed', InSync: 'False/ObserveOnly' },
  isActive: false,
  event: { reason: 'DriftDetected', count: 1 },
};

export const refused: Expectation = {
  conditions: { Ready: 'False/DeactivationDenied', Stalled: 'True/DeactivationDenied' },
  isActive: true,
  event: { reason: 'DeactivationDenied', count: 1 },
};

export const missing: Expectation = {
  conditions: { Ready: 'False/AlertNotFound', InSync: 'False/AlertNotFound' },
  isActive: undefined,
};
