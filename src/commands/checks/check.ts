// Runs one check: its deadline, and what its failure means.
import type { Clock } from '../../lib/clock.ts';
import { isCoded, messageOf } from '../../lib/errors.ts';
import { within } from '../../lib/within.ts';
import { isKubeError } from '../../operator/kube/kube-error.ts';
import type { KubeTransport } from '../../operator/kube/transport.ts';
import type { CheckResult, CheckState } from './check-report.ts';

/** For each check. A check of a host has several steps, each with a shorter deadline. */
export const checkDeadlineMs = 20_000;

/** For each request and each step of a check. */
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
