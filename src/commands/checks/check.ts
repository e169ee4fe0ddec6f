// A check of `doctor`: its deadline, what its failure means, and the report of all checks as text and as JSON.
import { cleanText } from '../../lib/clean-text.ts';
import { type Clock, within } from '../../lib/clock.ts';
import { isCoded, messageOf } from '../../lib/errors.ts';
import { indentedJson } from '../../lib/json-shape.ts';
import { isKubeError } from '../../operator/kube/kube-error.ts';
import type { KubeTransport } from '../../operator/kube/transport.ts';

const checkDeadlineMs = 20_000;

/** For each request of a check. */
export const stepDeadlineMs = 5000;

export interface DoctorPlace {
  readonly transport: KubeTransport;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** Of the operator, and of the Secrets of every ClusterRoleAlertConnection. */
  readonly operatorNamespace: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type CheckOutcome = Omit<CheckResult, 'subject' | 'check'>;

export interface Named {
  readonly subject: string;
  readonly check: string;
}

/** Never rejects: an error of the cluster, of a host or of this program becomes the outcome. */
export async function runCheck(named: Named, clock: Clock, run: () => Promise<CheckOutcome>): Promise<CheckResult> {
  try {
    const outcome = await within(clock, checkDeadlineMs, run());
    if (outcome === 'late') return { ...named, ...failed(`No answer within ${checkDeadlineMs / 1000} s.`) };
    return { ...named, ...outcome };
  } catch (error) {
    return { ...named, ...outcomeOf(error) };
  }
}

/** What RBAC forbids the caller is not checked; every other error is a failure. */
function outcomeOf(error: unknown): CheckOutcome {
  if (isKubeError(error, 'kube-denied') && error.status !== 401) {
    return notChecked(`You may not read what this check needs: ${messageOf(error)}`, 'Let a cluster admin run it.');
  }
  return failed(isCoded(error) ? messageOf(error) : `Unexpected error, a bug of rolealerts: ${messageOf(error)}`);
}

const outcome = (state: CheckState, message: string, fix?: string): CheckOutcome => ({
  state,
  message,
  ...(fix !== undefined && { fix }),
});

export const passed = (message: string) => outcome('Passed', message);
export const warning = (message: string, fix: string) => outcome('Warning', message, fix);
export const failed = (message: string, fix?: string) => outcome('Failed', message, fix);
export const notChecked = (message: string, fix?: string) => outcome('NotChecked', message, fix);

export const allowedSkewMs = 30_000;

/** `date`: the header of a response. `what`: the first half of the sentence. */
export function skewOutcome(what: string, date: unknown, nowMs: number): CheckOutcome {
  const serverMs = Date.parse(String(date));
  if (Number.isNaN(serverMs)) return passed(`${what}; its response has no date to compare clocks with.`);
  const skewMs = nowMs - serverMs;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  // A date has whole seconds, and the response took some time.
  if (Math.abs(skewMs) <= allowedSkewMs) return passed(`${what}; its clock agrees within ${Math.max(seconds, 1)} s.`);
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  return warning(
    `${what}; its clock is ${seconds} s ${direction} this machine's.`,
    'Synchronize both clocks: tokens may count as expired or not yet valid.',
  );
}

/** `Warning`: something to know, which breaks nothing yet. `NotChecked`: a permission or an earlier answer is missing. */
export type CheckState = 'Passed' | 'Warning' | 'Failed' | 'NotChecked';

export interface CheckResult {
  /** `cluster`, or the object: `connection NAMESPACE/NAME`. */
  readonly subject: string;
  /** What was checked, for scripts: `http-service`. */
  readonly check: string;
  readonly state: CheckState;
  /** One sentence. */
  readonly message: string;
  /** What to do, one sentence. Absent where nothing is to do. */
  readonly fix?: string;
}

const marks: Readonly<Record<CheckState, string>> = {
  Passed: 'ok',
  Warning: 'WARNING',
  Failed: 'FAILED',
  NotChecked: 'not checked',
};

/** Grouped by subject, in the order of the results. */
export function checkText(results: readonly CheckResult[]): string {
  const subjects = [...new Set(results.map(({ subject }) => subject))];
  return subjects
    .map((subject) => [`${subject}\n`, ...results.filter((each) => each.subject === subject).map(resultLines)].join(''))
    .join('\n');
}

function resultLines({ check, state, message, fix }: CheckResult): string {
  const line = `  ${marks[state].padEnd(11)}  ${check.padEnd(22)}  ${cleanText(message, longestMessage)}\n`;
  return fix === undefined ? line : `${line}${' '.repeat(39)}${cleanText(fix, longestMessage)}\n`;
}

/** Longer than every message of ours; conditions and certificates may contain text of others. */
const longestMessage = 1000;

/** `9 passed, 1 failed` */
export function checkSummary(results: readonly CheckResult[]): string {
  const count = (state: CheckState) => results.filter((each) => each.state === state).length;
  const counts = [
    [count('Passed'), 'passed'],
    [count('Warning'), count('Warning') === 1 ? 'warning' : 'warnings'],
    [count('Failed'), 'failed'],
    [count('NotChecked'), 'not checked'],
  ] as const;
  return counts.flatMap(([number, word], index) => (index === 0 || number > 0 ? [`${number} ${word}`] : [])).join(', ');
}

/** The shape is a contract: within a version members may be added, never renamed or removed. */
export function checkJson(results: readonly CheckResult[]): string {
  const checks = results.map(({ subject, check, state, message, fix }) => ({ subject, check, state, message, fix }));
  const report = { apiVersion: 'cli.rolealerts.dev/v1', kind: 'DoctorReport', checks };
  return indentedJson(report);
}
