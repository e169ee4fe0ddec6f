// The demo's samples: each sample is a policy on its own scope, with the alerts of that scope and the expected state before
// and after the scenario. manifests.ts converts them to a seed and manifests.
import type { Dismissal, PolicyAlert, RoleAlertPolicySpec } from '../../policy/generated/role-alert-policy.ts';

export interface Sample {
  readonly name: string;
  /** The purpose of the sample, for the table. */
  readonly shows: string;
  readonly scope: string;
  /** The alert that the sample demonstrates. */
  readonly alert: string;
  readonly connection: 'allowing' | 'denying';
  readonly spec: Pick<RoleAlertPolicySpec, 'alerts'> & { readonly mode?: 'Observe' };
  /** The alerts that the scope lists at the start. */
  readonly found: readonly FoundAlert[];
  /** When its dismissal ends, in days; default 14. Of no effect on a dismissal that names its incidents. */
  readonly endsInDays?: number;
  readonly before: Expectation;
  readonly after: Expectation;
}

export interface FoundAlert {
  readonly name: string;
  readonly isActive: boolean;
  /** Ids of the incidents. */
  readonly incidents: readonly string[];
}

/** The expected state of one sample. */
export interface Expectation {
  /** Status and reason of conditions: `Ready: 'True/Succeeded'`. */
  readonly conditions: Readonly<Record<string, string>>;
  /** The service's `isActive` of the sample's alert; undefined when the service does not list the alert. */
  readonly isActive: boolean | undefined;
  /** At least so many events of each reason. The operator emits `DriftCorrected` and `AlertDeactivated` once a correction is verified. */
  readonly events: Readonly<Record<string, number>>;
}

const owners = 'TooManyOwnersAssignedToResource';
const permanentOwners = 'TooManyPermanentOwnersAssignedToResource';
const outsideAssignments = 'RolesAssignedOutsidePrivilegedAccess';
const duplicateRole = 'DuplicateRoleCreated';

const conditions = { Ready: 'True/Succeeded', InSync: 'True/InSync', ConnectionReady: 'True/Connected' };

/** Each correction but the first follows from a deactivation by others: the operator found the first drift when it began. */
const corrected = (count: number): Expectation => ({
  conditions,
  isActive: true,
  events: { ...(count > 1 && { DeactivatedByOthers: count - 1 }), DriftCorrected: count },
});
const dismissed: Expectation = {
  conditions,
  isActive: false,
  events: { AlertDeactivated: 1 },
};
const outgrown: Expectation = { conditions, isActive: true, events: { IncidentsFound: 1, NewIncidents: 1 } };

const active = (name: string): PolicyAlert => ({ name, state: 'Active' });
const inactive = (name: string, dismissal: Dismissal): PolicyAlert => ({ name, state: 'Inactive', dismissal });
const found = (name: string, isActive: boolean, ...incidents: readonly string[]): FoundAlert => ({
  name,
  isActive,
  incidents,
});

/** In the scenario a user deactivates its alert. */
export const attackedSample: Sample = {
  name: 'corrected',
  shows: 'drift is corrected',
  scope: 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590',
  alert: owners,
  connection: 'allowing',
  spec: { alerts: [active(owners), active(outsideAssignments)] },
  found: [found(owners, false, 'c1a5e0f1'), found(outsideAssignments, true)],
  before: corrected(1),
  after: corrected(2),
};

const knownIncidents = ['6f1c2a04', '77aa19e3'];
export const newIncidents: readonly string[] = [...knownIncidents, '9d3e55b0'];

/** In the scenario a scan finds `newIncidents` here: one more than its dismissal names. */
export const outgrownSample: Sample = {
  name: 'bound-broken',
  shows: 'dismissed, two incidents',
  scope: 'subscriptions/7b4e0c1d-92a3-4f5b-8c6d-1e2f3a4b5c6d',
  alert: permanentOwners,
  connection: 'allowing',
  spec: {
    alerts: [inactive(permanentOwners, { reason: 'two break-glass owners, SEC-1182', incidents: knownIncidents })],
  },
  found: [found(permanentOwners, true, ...knownIncidents)],
  before: dismissed,
  after: outgrown,
};

/** A sample that the scenario leaves as it is. */
function constant(expected: Expectation, sample: Omit<Sample, 'before' | 'after'>): Sample {
  return { ...sample, before: expected, after: expected };
}

export const samples: readonly Sample[] = [
  attackedSample,
  constant(dismissed, {
    name: 'dismissed',
    shows: 'dismissed, at most three',
    scope: 'subscriptions/3d9f2b7a-6c1e-4e8d-9b5a-0f4c7e2a1d83',
    alert: permanentOwners,
    connection: 'allowing',
    spec: {
      alerts: [
        active(owners),
        inactive(permanentOwners, { reason: 'a sandbox with up to three owners, SEC-1207', maxIncidents: 3 }),
      ],
    },
    found: [found(owners, true), found(permanentOwners, true, '1f00aa01', '1f00aa02')],
    endsInDays: 3,
  }),
  outgrownSample,
  constant(
    {
      conditions: { Ready: 'True/Observed', InSync: 'False/ObserveOnly' },
      isActive: false,
      events: { DriftDetected: 1 },
    },
    {
      name: 'observed',
      shows: 'drift is only reported',
      scope: 'subscriptions/2c7a1d0e-58f4-4b7e-8a0e-6d1f3b9c4e72',
      alert: owners,
      connection: 'allowing',
      spec: { mode: 'Observe', alerts: [active(owners)] },
      found: [found(owners, false, 'a7a7a701')],
    },
  ),
  constant(
    {
      conditions: { Ready: 'False/DeactivationDenied', Stalled: 'True/DeactivationDenied' },
      isActive: true,
      events: { DeactivationDenied: 1 },
    },
    {
      name: 'refused',
      shows: 'its connection denies it',
      scope: 'subscriptions/91e5b8c3-0f2d-4c6a-b7d4-3a8e5f1c2d60',
      alert: permanentOwners,
      connection: 'denying',
      spec: {
        alerts: [inactive(permanentOwners, { reason: 'noise during the migration, SEC-1219', maxIncidents: 9 })],
      },
      found: [found(permanentOwners, true, '4e4e4e01')],
    },
  ),
  constant(
    {
      conditions: { Ready: 'False/AlertNotFound', InSync: 'False/AlertNotFound' },
      isActive: undefined,
      events: { AlertNotFound: 1 },
    },
    {
      name: 'missing',
      shows: 'declared, but not listed',
      scope: 'subscriptions/e8f1a2b3-c4d5-4e6f-8091-a2b3c4d5e6f7',
      alert: duplicateRole,
      connection: 'allowing',
      spec: { alerts: [active(duplicateRole), active(owners)] },
      found: [found(owners, true)],
    },
  ),
];
