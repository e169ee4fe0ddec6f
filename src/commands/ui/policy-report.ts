// The report of one policy: the way to its alerts, its conditions with their next steps, its alerts, and its last corrections.
import { explainReason } from '../../operator/reasons/reason-notes.ts';
import type { CorrectionRecord } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { findReason } from '../checks/explain.ts';
import type { PolicyTrace, TraceStep } from '../checks/trace.ts';
import type { Column, Report, Row, Section } from '../report/model.ts';

/** `trace`: undefined when it could not be read. */
export function policyReport({ metadata, status }: RoleAlertPolicy, trace: PolicyTrace | undefined): Report {
  const alerts = (status?.alerts ?? []).map(({ name, want, live, result, severity, incidents, verifiedAt }) => ({
    cells: [name, want, live, result, severity ?? 'none', incidents.total, verifiedAt ?? ''],
  }));
  const conditions = (status?.conditions ?? []).map(({ type, status: state, reason, lastTransitionTime, message }) => ({
    cells: [type, state, reason, message, nextStepOf(reason), lastTransitionTime],
  }));
  const history = (status?.history ?? []).map(correctionRow);
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
      section('history', named('time', 'what', 'text'), history),
    ],
  };
}

/** `id`: a word that is the heading as well. */
function section(id: string, columns: readonly Column[], rows: readonly Row[]): Section {
  return { id, heading: `${id[0]?.toUpperCase()}${id.slice(1)}`, columns, rows, nothing: 'None yet.', data: {} };
}

const named = (...names: readonly string[]): readonly Column[] => names.map((name) => ({ name }));

/** Alerts and corrections have their own sections. */
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
const elsewhere: ReadonlySet<TraceStep['kind']> = new Set(['Alert', 'Writes']);

function traceRows({ name, state, text, children }: TraceStep, depth: number): readonly Row[] {
  const below = children.filter(({ kind }) => !elsewhere.has(kind)).flatMap((child) => traceRows(child, depth + 1));
  return [{ cells: [`${'› '.repeat(depth)}${name}`, states[state], text] }, ...below];
}

function nextStepOf(text: string): string {
  const reason = findReason(text);
  return (reason && explainReason(reason).next) ?? '';
}

/** A newer operator may write a direction that this version does not know. */
function correctionRow({ at, alert, direction, reason, count }: CorrectionRecord): Row {
  const verb = direction === 'Activated' || direction === 'Deactivated' ? direction.toLowerCase() : 'changed';
  return { cells: [at, reason, `The operator ${verb} ${alert}${count > 1 ? ` ${count} times` : ''}.`] };
}
