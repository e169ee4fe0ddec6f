// The page of one policy: its conditions, its alerts and its history.
import { explainReason } from '../../plan/reasons.ts';
import type { AlertStatus, Condition } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { findReason } from '../explain.ts';
import type { ReportedEvent } from '../reported-event.ts';
import type { PolicyTrace } from '../trace.ts';
import { dataTable } from './data-table.ts';
import { pageSection } from './fleet-sections.ts';
import { historyList } from './history-list.ts';
import { livePage } from './live-fleet-page.ts';
import { markup, type Markup } from './markup.ts';
import { policyHistory } from './policy-history.ts';
import { traceSection } from './trace-section.ts';

/** What the page of a policy needs beyond the policy. */
export interface PolicyDetails {
  /** Undefined when it could not be read. */
  readonly trace: PolicyTrace | undefined;
  readonly events: readonly ReportedEvent[];
  /** Why there are none, as a sentence. */
  readonly note?: string | undefined;
}

export function livePolicyPage(
  policy: RoleAlertPolicy,
  { trace, events, note }: PolicyDetails,
  failure: string | undefined,
): string {
  const { metadata, spec, status } = policy;
  const facts = markup`<p>Scope ${status?.effective?.scope ?? spec.scope}, ${spec.connectionRef.kind} ${spec.connectionRef.name}, mode ${status?.effective?.mode ?? spec.mode}.</p>`;
  const history = markup`${note === undefined ? undefined : markup`<p class="quiet">${note}</p>`}${historyList(policyHistory(policy, events))}`;
  return livePage(
    { title: `Policy ${metadata.namespace}/${metadata.name}`, failure },
    markup`${pageSection('conditions', 'Conditions', markup`${facts}${conditionTable(status?.conditions ?? [])}`)}${trace && traceSection(trace)}${alertsSection(status?.alerts ?? [])}${pageSection('history', 'History', history)}`,
  );
}

function conditionTable(conditions: readonly Condition[]): Markup {
  return dataTable({
    id: 'condition-table',
    caption: 'The conditions as the operator wrote them, and the next step of each. Times are in UTC.',
    columns: ['Condition', 'Status', 'Reason', 'Since', 'Message', 'Next step'].map((name) => ({ name })),
    rows: conditions.map(({ type, status, reason, lastTransitionTime, message }) => [
      type,
      status,
      reason,
      lastTransitionTime,
      message,
      nextStepOf(reason),
    ]),
  });
}

function nextStepOf(text: string): string {
  const reason = findReason(text);
  return (reason && explainReason(reason).next) ?? '';
}

function alertsSection(alerts: readonly AlertStatus[]): Markup {
  if (alerts.length === 0) return pageSection('alerts', 'Alerts', markup`<p>The status has no alerts.</p>`);
  const table = dataTable({
    id: 'alert-table',
    caption: 'The alerts that the policy declares or guards.',
    columns: [
      ...['Alert', 'Desired', 'Live', 'Result', 'Severity'].map((name) => ({ name })),
      { name: 'Incidents', isNumber: true },
      { name: 'Verified at' },
    ],
    rows: alerts.map(({ name, want, live, result, severity, incidents, verifiedAt }) => [
      name,
      want,
      live,
      result,
      severity ?? 'none',
      incidents.total,
      verifiedAt ?? '',
    ]),
  });
  return pageSection('alerts', 'Alerts', table);
}
