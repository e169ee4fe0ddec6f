// The page of one policy: what blocks it, its conditions, its alerts and its history.
import { explainReason } from '../../operator/reasons/reason-notes.ts';
import type { AlertStatus, Condition } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { findReason } from '../checks/explain.ts';
import type { PolicyTrace } from '../checks/trace.ts';
import type { ReportedEvent } from '../report/reported-event.ts';
import { dataTable } from './data-table.ts';
import { pageSection } from './fleet-sections.ts';
import { historyList } from './history-list.ts';
import { livePage } from './live-fleet-page.ts';
import { markup, type Markup } from './markup.ts';
import { policyHistory } from './policy-history.ts';
import { timeText } from './time-text.ts';
import { traceSection } from './trace-section.ts';

/** What the page of a policy needs beyond the policy. */
export interface PolicyDetails {
  /** Undefined when it could not be read. */
  readonly trace: PolicyTrace | undefined;
  readonly events: readonly ReportedEvent[];
  /** Why there are none, as a sentence. */
  readonly note?: string | undefined;
}

/** When a page is made, and why the latest state may be out of date by then, as a sentence. */
export interface LiveMoment {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly failure: string | undefined;
}

export function livePolicyPage(
  policy: RoleAlertPolicy,
  { trace, events, note }: PolicyDetails,
  { nowMs, failure }: LiveMoment,
): string {
  const { metadata, spec, status } = policy;
  const facts = markup`<p>Scope ${status?.effective?.scope ?? spec.scope}, ${spec.connectionRef.kind} ${spec.connectionRef.name}, mode ${status?.effective?.mode ?? spec.mode}.</p>`;
  const history = markup`${note === undefined ? undefined : markup`<p class="quiet">${note}</p>`}${historyList(policyHistory(policy, events), nowMs)}`;
  return livePage(
    { title: `Policy ${metadata.namespace}/${metadata.name}`, failure },
    markup`${pageSection('summary', 'Summary', facts)}${trace ? traceSection(trace) : pageSection('trace', 'Trace', markup`<p>The trace could not be read.</p>\n`)}${pageSection('conditions', 'Conditions', conditionTable(status?.conditions ?? [], nowMs))}${alertsSection(status?.alerts ?? [], nowMs)}${pageSection('history', 'History', history)}`,
  );
}

function conditionTable(conditions: readonly Condition[], nowMs: number): Markup {
  return dataTable({
    id: 'condition-table',
    caption: 'The conditions as the operator wrote them, and the next step of each. Times are in UTC.',
    columns: ['Condition', 'Status', 'Reason', 'Message', 'Next step', 'Since'].map((name) => ({ name })),
    rows: conditions.map(({ type, status, reason, lastTransitionTime, message }) => [
      type,
      status,
      reason,
      message,
      nextStepOf(reason),
      timeText(lastTransitionTime, nowMs),
    ]),
  });
}

function nextStepOf(text: string): string {
  const reason = findReason(text);
  return (reason && explainReason(reason).next) ?? '';
}

function alertsSection(alerts: readonly AlertStatus[], nowMs: number): Markup {
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
      verifiedAt === undefined ? '' : timeText(verifiedAt, nowMs),
    ]),
  });
  return pageSection('alerts', 'Alerts', table);
}
