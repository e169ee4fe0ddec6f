// Failures of one alert: a correction that the service refuses, other clients and policies that want the opposite, limits, dismissals.
import { startOfTimeMs } from '../engine/sim-process.ts';
import { createPolicy } from '../fixture.ts';
import { alert, type Failure, scope, type Stage } from './failure.ts';

const object = 'RoleAlertPolicy/owners';
const minuteMs = 60_000;
const incident = { id: '6f1c', type: 'OwnerIncident', assigneeName: 'canary.person' };

const inactive = (dismissal: object) => ({
  alerts: [{ name: alert, state: 'Inactive', dismissal: { reason: 'tracked in SEC-1182', ...dismissal } }],
});
const dismissed = inactive({ incidents: ['6f1c'] });
const named = new RegExp(`\\b${alert}\\b`);

/** Another client sets the flag back, every few minutes. */
const turnedEvery =
  (delayMs: number, isActive: boolean) =>
  ({ world }: Stage): void => {
    const turn = (): void => {
      world.service.turn(scope, alert, isActive, 'User');
      world.time.schedule(delayMs, turn);
    };
    turn();
  };

export const alertFailures: readonly Failure[] = [
  {
    title: 'the service refuses the correction of an alert',
    before: ({ setFate }) =>
      setFate(({ method }) =>
        method === 'PATCH'
          ? { kind: 'replace', answer: { status: 403, body: '{"error":{"code":"AuthorizationFailed"}}' } }
          : undefined,
      ),
    alerts: { [alert]: false },
    clue: { object, reason: 'CorrectionFailed', cause: [named, /AuthorizationFailed/], fix: /\bgrant\b/i },
  },
  {
    title: 'another client deactivates an alert again and again',
    after: turnedEvery(10_000, false),
    isRestless: true,
    clue: { object, reason: 'DeactivatedByOthers', cause: [named, /\banother client\b/i], fix: /\bfind out\b/i },
    other: {
      // Every list finds the alert inactive, and the policy is in sync after its correction; only the message of InSync adds it.
      get: { reason: 'Succeeded' },
      describe: [
        [/^Name: owners\n/, /\bLast Drift:\n/, /\bActor Class: User\n/, /\bHistory:\n.*\bDirection: Activated\n/s],
        [/^Name: owners\n/, /\bType: InSync\n/, named, /\bby another client again and again\. Find out which client\b/],
      ],
      metrics: [[/^rolealerts_corrections_total\{namespace="team",name="prod",cause="Declared"\} 1\d$/]],
    },
  },
  {
    title: 'another client activates a dismissed alert again and again',
    policy: dismissed,
    after: turnedEvery(7 * minuteMs, true),
    isRestless: true,
    clue: { object, reason: 'Flapping', cause: [named, /\bdamping\b/], fix: /\bfind out\b/i },
  },
  {
    title: 'two policies declare the opposite',
    policy: dismissed,
    before: ({ world }) => createPolicy(world, 'guard', { scope, alerts: [{ name: alert, state: 'Active' }] }),
    clue: { object, reason: 'ScopeConflict', cause: [named, /\bpolicy\b/i], fix: /\bchange\b/i },
  },
  {
    title: 'the ledger of the connection is full',
    policy: dismissed,
    before: fillLedger,
    clue: { object, reason: 'LedgerFull', cause: [named, /\bdismissals\b/], fix: /\bend\b/i },
  },
  {
    title: 'a dismissal has ended',
    policy: inactive({ until: new Date(startOfTimeMs + 30 * minuteMs).toISOString().replace('.000', '') }),
    clue: { object, reason: 'DismissalExpired', cause: [named, /\bdismissal\b/i, /\bended\b/], fix: /\bextend\b/i },
    other: {
      get: { reason: 'Succeeded' },
      describe: { reason: 'InSync' },
      metrics: [[/^rolealerts_corrections_total\{namespace="team",name="prod",cause="DismissalExpired"\} 1$/]],
    },
  },
  {
    title: 'new incidents exceed a dismissal',
    policy: dismissed,
    after: ({ world }) => world.service.scan(scope, alert, [incident, { ...incident, id: '77aa' }]),
    clue: { object, reason: 'NewIncidents', cause: [named, /\bincidents\b/, /\bdismissal\b/], fix: /\bextend\b/i },
    other: {
      get: { reason: 'Succeeded' },
      describe: { reason: 'InSync' },
      metrics: [[new RegExp(`^rolealerts_incidents\\{namespace="team",name="owners",alert="${alert}",.*\\} 2$`)]],
    },
  },
  {
    title: 'the service accepts a correction and ignores it',
    alerts: { [alert]: false },
    world: { isForgotten: () => true },
    clue: {
      object,
      reason: 'WriteNotVerified',
      cause: [named, /\baccepted\b/],
      fix: /\bask the owner of the service\b/i,
    },
  },
  {
    title: 'an alert that must be active is not scanned',
    after: ({ world }) => {
      const found = world.service.find(scope, alert);
      if (found) found.isEnabled = false;
    },
    clue: { object, reason: 'ScanningDisabled', cause: [named, /\bscan/i], fix: /\bisEnabled\b|\benable/ },
    other: { get: { reason: 'Succeeded' } },
  },
  {
    title: 'an alert has new incidents',
    after: ({ world }) => world.service.scan(scope, alert, [incident]),
    clue: { object, reason: 'IncidentsFound', cause: [named, /\bincidents\b/i], fix: /\bhandle\b/i },
    other: { get: [[/^team  owners  True  Succeeded  Enforce  1\/1  1  0  /]] },
  },
  {
    title: 'a policy in Observe mode finds drift',
    policy: { mode: 'Observe' },
    alerts: { [alert]: false },
    clue: { object, reason: 'Observed', cause: [/\bObserve\b/, /\bnot corrected\b/], fix: /\bEnforce\b/ },
    other: { events: { reason: 'DriftDetected', cause: [named, /\bObserve\b/] } },
  },
  {
    title: 'the correction windows are closed',
    connection: {
      correctionWindows: [{ kind: 'Allow', schedule: '0 3 1 6 *', duration: '1h', timeZone: 'Europe/Paris' }],
    },
    policy: dismissed,
    clue: {
      object,
      reason: 'WaitingForWindow',
      cause: [/\bclosed until 2026-06-01T01:00:00Z/],
      fix: /\bspec\.correctionWindows\b/,
    },
  },
  {
    title: 'the service does not list an alert of that name',
    policy: { alerts: [{ name: 'TooManyOwnrs', state: 'Active' }] },
    clue: {
      object,
      reason: 'AlertNotFound',
      cause: [/\bTooManyOwnrs\b/, /\bnot list/, /\bspelling\b/],
      fix: /\bcheck the spelling\b/i,
    },
  },
];

/** As many dismissals as the schema allows, of another scope that cannot be listed, so that none of them ends. */
function fillLedger({ world: { api } }: Stage): void {
  const since = '2026-01-01T00:00:00Z';
  const dismissals = Array.from({ length: 500 }, (_, index) => ({
    scope: 'subscriptions/b',
    alert: `Alert${index}`,
    policy: 'team/other',
    since,
  }));
  const status = { status: { observedGeneration: 1, dismissals } };
  api.writes.mergePatch(api.resource('rolealertconnections'), 'team', 'prod', status, 'status');
}
