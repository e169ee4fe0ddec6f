// The samples that the scenario changes.
import { corrected, dismissed, outgrown, outgrownByScan } from './expectations.ts';
import { owners, permanentOwners, outsideAssignments, type Sample } from './sample.ts';

/** In the scenario a user deactivates its alert. */
export const attackedSample: Sample = {
  name: 'corrected',
  shows: 'drift is corrected',
  scope: 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590',
  alert: owners,
  connection: 'allowing',
  spec: {
    alerts: [
      { name: owners, state: 'Active' },
      { name: outsideAssignments, state: 'Active' },
    ],
  },
  found: [
    { name: owners, isActive: false, incidents: ['c1a5e0f1'] },
    { name: outsideAssignments, isActive: true, incidents: [] },
  ],
  before: corrected(1),
  after: corrected(2),
};

const knownIncidents = ['6f1c2a04', '77aa19e3'];

/** In the scenario a scan finds `newIncidents` here: one more than its dismissal names. */
export const outgrownSample: Sample = {
  name: 'bound-broken',
  shows: 'dismissed, two incidents',
  scope: 'subscriptions/7b4e0c1d-92a3-4f5b-8c6d-1e2f3a4b5c6d',
  alert: permanentOwners,
  connection: 'allowing',
  spec: {
    alerts: [
      {
        name: permanentOwners,
        state: 'Inactive',
        dismissal: { reason: 'two break-glass owners, SEC-1182', incidents: knownIncidents },
      },
    ],
  },
  found: [{ name: permanentOwners, isActive: true, incidents: knownIncidents }],
  before: dismissed,
  after: outgrown,
};
export const newIncidents: readonly string[] = [...knownIncidents, '9d3e55b0'];

/** The demo's own cluster, whose RBAC bindings the service's scanner reads. In the scenario a user becomes an owner. */
export const scannedSample: Sample = {
  name: 'cluster',
  shows: 'a real cluster, scanned',
  scope: 'clusters/demo',
  alert: permanentOwners,
  connection: 'allowing',
  spec: {
    alerts: [
      {
        name: permanentOwners,
        state: 'Inactive',
        dismissal: { reason: 'the first administrators and break-glass', maxIncidents: 2 },
      },
    ],
  },
  found: [{ name: permanentOwners, isActive: true, incidents: [] }],
  isScanned: true,
  before: dismissed,
  after: outgrownByScan,
};
