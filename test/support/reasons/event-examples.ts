// One example for every event whose reason no condition has. A reason without an example does not compile.
import type { Reason } from '../../../src/operator/reasons/reasons.ts';
import { connectionEvent } from '../../../src/operator/report/connection-status.ts';
import type { EventDraft, EventReason } from '../../../src/operator/report/event-draft.ts';
import {
  abandonedEvents,
  correctionEvents,
  droppedEvents,
  refusedStatusEvent,
} from '../../../src/operator/report/events.ts';
import { type RoleAlertConnection, type RoleAlertPolicy, referenceTo } from '../../../src/policy/resources.ts';
import {
  alert,
  alertName,
  clusterNamespace,
  connection,
  firing,
  inactive,
  input,
  policy,
} from '../builders/objects.ts';
import { keeping, produceStatus, type Produced } from './example.ts';
import { afterSync, correction, dismissing, listed, off, scope, statusAfter, statusInput } from './samples.ts';

export type EventOnlyReason = Exclude<EventReason, Reason>;

export interface EventExample {
  readonly produce: () => Produced | Promise<Produced>;
  /** The condition that shows the state after it, or why none does. */
  readonly condition: string;
  /** The metric that shows it, or why none does. */
  readonly metric: string;
  /** Why the note has no next step. */
  readonly noNext?: string;
  /** Why the note names no object. */
  readonly isGeneral?: string;
}

const past = { spec: { scope, alerts: [inactive({ until: '2026-06-01T11:59:00Z' })] } };
const dismissed = { before: statusAfter(listed({ policies: [dismissing()], alerts: [off] })) };
const covering = { spec: { scope, alerts: [inactive({ incidents: ['6f1c'] })] } };

export const eventExamples: Readonly<Record<EventOnlyReason, EventExample>> = {
  DriftDetected: {
    produce: () =>
      produceStatus(
        statusInput(listed({ policies: [input({ spec: { mode: 'Observe' } })], alerts: [off] }), {
          spec: { mode: 'Observe' },
        }),
      ),
    condition: '`InSync` is False or Unknown',
    metric: '`rolealerts_policy_drifted_alerts`',
  },
  DeactivatedByOthers: {
    produce: () => produceStatus(afterSync(listed({ alerts: [alert({ isActive: false, lastActor: 'User' })] }))),
    condition: '`InSync` is False or Unknown until the correction',
    metric: '`rolealerts_corrections_total` with the cause `Declared`, once corrected',
  },
  DriftCorrected: {
    produce: () => produceStatus(afterSync(listed({}, [correction('Declared')]))),
    condition: '`Ready` is True',
    metric: '`rolealerts_corrections_total` with the cause `Declared` or `Unlisted`',
    noNext: 'the correction is done',
  },
  AlertDeactivated: {
    produce: () =>
      produceStatus(
        afterSync(
          listed({ policies: [dismissing()], alerts: [off] }, [correction('DismissalHolds', false, 'Unknown')]),
        ),
      ),
    condition: '`Ready` is True; `status.dismissals` of the connection has the dismissal',
    metric: '`rolealerts_corrections_total` with the cause `DismissalHolds`',
    noNext: 'a policy declares it; a Warning, because the alert finds nothing meanwhile',
  },
  DismissalEnding: {
    produce: () => {
      const spec = { scope, alerts: [inactive({ until: '2026-06-08T12:00:00Z' })] };
      return produceStatus(statusInput(listed({ policies: [input({ spec })], alerts: [off] }), { spec, ...dismissed }));
    },
    condition: '`Ready` is True; `dismissalEnding` of the alert in `status.alerts` has the end',
    metric: '`rolealerts_dismissal_end_timestamp_seconds`',
  },
  DismissalExpired: {
    produce: () =>
      produceStatus(
        statusInput(listed({ policies: [input(past)] }, [correction('DismissalExpired')]), { ...past, ...dismissed }),
      ),
    condition: 'the message of `InSync` names the alert',
    metric: '`rolealerts_corrections_total` with the cause `DismissalExpired`',
  },
  NewIncidents: {
    produce: () =>
      produceStatus(
        statusInput(
          listed({ policies: [input(covering)], alerts: [firing(['6f1c', '77aa'])] }, [correction('NewIncidents')]),
          {
            ...covering,
            ...dismissed,
          },
        ),
      ),
    condition: 'the message of `InSync` names the alert',
    metric: '`rolealerts_corrections_total` with the cause `NewIncidents`',
  },
  DeclarationGone: {
    produce: () => recorded(connection(), correctionEvents([correction('DeclarationGone')], scope)),
    condition: 'none, because the alert is active again and no policy declares its dismissal',
    metric: '`rolealerts_corrections_total` with the cause `DeclarationGone`',
  },
  DismissalDropped: {
    produce: () => recorded(connection(), droppedEvents([{ alert: alertName, scope }])),
    condition:
      'none, because the service has nothing to compare; `status.dismissals` of the connection loses the entry',
    metric: 'none, because the service lists nothing that could be counted',
  },
  DismissalsAbandoned: {
    produce: () => recorded(connection(), abandonedEvents([{ alert: alertName, scope }])),
    condition: 'none, because the connection goes with its namespace',
    metric: '`rolealerts_abandoned_dismissals_total`',
  },
  IncidentsResolved: {
    produce: () => {
      const before = statusAfter(listed({ alerts: [firing(['6f1c'])] }));
      return produceStatus(statusInput(listed(), { before }));
    },
    condition: '`IncidentsOpen` is False, unless another alert has incidents',
    metric: '`rolealerts_policy_incidents`',
    noNext: 'the incidents are gone',
  },
  SuspensionEnded: {
    produce: () => {
      const spec = { suspend: true, suspendUntil: '2026-06-01T11:59:00Z' };
      const before = statusAfter({ kind: 'suspended' }, { spec, before: statusAfter(listed()) });
      return produceStatus(statusInput(listed(), { spec, before }));
    },
    condition: '`Ready` is no longer `Suspended`',
    metric: '`rolealerts_policy_suspended`',
    noNext: 'the end was declared',
    isGeneral: 'it is about the policy itself',
  },
  StatusNotWritten: {
    produce: () => recorded(policy(), [refusedStatusEvent('kube-denied')]),
    condition: 'none, because the status cannot be written',
    metric: '`controller_runtime_reconcile_errors_total`',
    isGeneral: 'it is about the policy itself',
  },
  ConnectionRestored: {
    produce: () =>
      recorded(connection(), [connectionEvent('Unauthorized', 'Connected', connection(), { clusterNamespace })!]),
    condition: '`Ready` of the connection is True',
    metric: '`rolealerts_connection_ready`',
    noNext: 'the connection works',
  },
};

/** What the controller does with the events of an object. */
function recorded(object: RoleAlertPolicy | RoleAlertConnection, drafts: readonly EventDraft[]): Produced {
  const { events, kept } = keeping();
  for (const draft of drafts) events.record({ regarding: referenceTo(object), ...draft });
  return kept;
}
