// The demo's samples: each sample is a policy on its own scope, with the alerts of that scope and the expected state before
// and after the scenario. manifests.ts converts them to a seed and manifests.
import { dismissed, observed, refused, missing } from './expectations.ts';
import { owners, permanentOwners, duplicateRole, type Sample } from './sample.ts';
import { attackedSample, outgrownSample, scannedSample } from './scenario-samples.ts';

export const samples: readonly Sample[] = [
  attackedSample,
  {
    name: 'dismissed',
    shows: 'dismissed, at most three',
    scope: 'subscriptions/3d9f2b7a-6c1e-4e8d-9b5a-0f4c7e2a1d83',
    alert: permanentOwners,
    connection: 'allowing',
    spec: {
      alerts: [
        { name: owners, state: 'Active' },
        {
          name: permanentOwners,
          state: 'Inactive',
          dismissal: { reason: 'a sandbox with up to three owners, SEC-1207', maxIncidents: 3 },
        },
      ],
    },
    found: [
      { name: owners, isActive: true, incidents: [] },
      { name: permanentOwners, isActive: true, incidents: ['1f00aa01', '1f00aa02'] },
    ],
    endsInDays: 3,
    before: dismissed,
    after: dismissed,
  },
  outgrownSample,
  scannedSample,
  {
    name: 'observed',
    shows: 'drift is only reported',
    scope: 'subscriptions/2c7a1d0e-58f4-4b7e-8a0e-6d1f3b9c4e72',
    alert: owners,
    connection: 'allowing',
    spec: { mode: 'Observe', alerts: [{ name: owners, state: 'Active' }] },
    found: [{ name: owners, isActive: false, incidents: ['a7a7a701'] }],
    before: observed,
    after: observed,
  },
  {
    name: 'refused',
    shows: 'its connection denies it',
    scope: 'subscriptions/91e5b8c3-0f2d-4c6a-b7d4-3a8e5f1c2d60',
    alert: permanentOwners,
    connection: 'denying',
    spec: {
      alerts: [
        {
          name: permanentOwners,
          state: 'Inactive',
          dismissal: { reason: 'noise during the migration, SEC-1219', maxIncidents: 9 },
        },
      ],
    },
    found: [{ name: permanentOwners, isActive: true, incidents: ['4e4e4e01'] }],
    before: refused,
    after: refused,
  },
  {
    name: 'missing',
    shows: 'declared, but not listed',
    scope: 'subscriptions/e8f1a2b3-c4d5-4e6f-8091-a2b3c4d5e6f7',
    alert: duplicateRole,
    connection: 'allowing',
    spec: {
      alerts: [
        { name: duplicateRole, state: 'Active' },
        { name: owners, state: 'Active' },
      ],
    },
    found: [{ name: owners, isActive: true, incidents: [] }],
    before: missing,
    after: missing,
  },
];
