// The report of one policy: the way to its alerts, its conditions with their next steps, its alerts, and what happened.
import { byText } from '../../lib/compare-text.ts';
import { explainReason } from '../../operator/reasons/reason-notes.ts';
import type { CorrectionRecord } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { findReason } from '../checks/explain.ts';
import type { PolicyTrace, TraceStep } from '../checks/trace.ts';
import type { Column, Report, Row, Section } from '../report/model.ts';
import type { ReportedEvent } from '../report/reported-event.ts';

/** What is read of a policy for its page. */
export interface PolicyDetails {
  /** Undefined when it could not be read. */
  readonly trace: PolicyTrace | undefined;
  readonly events: readonly ReportedEvent[];
  /** Why there are none, as a sentence. */
  readonly note?: string | undefined;
}

export function policyReport({ metadata, status }: RoleAlertPolicy, { trace, events, note }: PolicyDetails): Report {
  const alerts = (status?.alerts ?? []).map(({ name, want, live, result, severity, incidents, verifiedAt }) => ({
    cells: [name, want, live, result, severity ?? 'none', incidents.total, verifiedAt ?? ''],
  }));
  const conditions = (status?.conditions ?? []).map(({ type, status: state, reason, lastTransitionTime, message }) => ({
    cells: [type, state, reason, message, nextStepOf(reason), lastTransitionTime],
  }));
  const history = [...(status?.history ?? []).map(correctionRow), ...events.map(eventRow)]
    .sort((left, right) => Date.parse(right.at) - Date.parse(left.at) || byText(left.what, right.what))
    .map(({ at, what, text }) => ({ cells: [at, what, text] }));
  const notes = note === undefined ? [] : [note];
  return {
    title: `Policy ${metadata.namespace}/${metadata.name}`,
    notes: [],
    sections: [
      traceSection(trace),
      section('conditions', named('condition', 'status', 'reason', 'message', 'next step', 'since'), conditions),
      section(
        'alerts',
        [
          ...named('alert', 'desired', 'live', 'result', 'severity'),
          { name: 'incidents', isNumber: true },
          { name: 'verified at' },
        ],
        alerts,
      ),
      { ...section('history', named('time', 'what', 'text'), history), notes },
    ],
  };
}

/** `id`: a word that is the heading as well. */
function section(id: string, columns: readonly Column[], rows: readonly Row[]): Section {
  return { id, heading: `${id[0]?.toUpperCase()}${id.slice(1)}`, columns, rows, nothing: 'None yet.', data: {} };
}

const named = (...names: readonly string[]): readonly Column[] => names.map((name) => ({ name }));

/** Alerts, corrections and events have their own sections. */
function traceSection(trace: PolicyTrace | undefined): Section {
  const { blocker } = trace ?? {};
  const notes = blocker
    ? [`Blocked by ${blocker.reason}: ${blocker.message}`, `Run: ${blocker.command}`]
    : ['Nothing blocks the policy.'];
  const rows = trace ? traceRows(trace.root, 0) : [];
  return {
    ...section('trace', named('step', 'state', 'text'), rows),
    nothing: 'The trace could not be read.',
    notes: trace ? notes : [],
  };
}

const states: Readonly<Record<TraceStep['state'], string>> = { Ok: 'ok', Blocked: 'blocked', Unknown: 'not known' };
const elsewhere: ReadonlySet<TraceStep['kind']> = new Set(['Alert', 'Writes', 'Events']);

function traceRows({ name, state, text, children }: TraceStep, depth: number): readonly Row[] {
  const below = children.filter(({ kind }) => !elsewhere.has(kind)).flatMap((child) => traceRows(child, depth + 1));
  return [{ cells: [`${'› '.repeat(depth)}${name}`, states[state], text] }, ...below];
}

function nextStepOf(text: string): string {
  const reason = findReason(text);
  return (reason && explainReason(reason).next) ?? '';
}

/** A newer operator may write a direction that this version does not know. */
function correctionRow({ at, alert, direction, reason, count }: CorrectionRecord) {
  const verb = direction === 'Activated' || direction === 'Deactivated' ? direction.toLowerCase() : 'changed';
  return { at, what: reason, text: `The operator ${verb} ${alert}${count > 1 ? ` ${count} times` : ''}.` };
}

function eventRow({ at, reason, note, count }: ReportedEvent) {
  return { at, what: reason, text: `${note}${count > 1 ? ` (${count} times)` : ''}` };
}
