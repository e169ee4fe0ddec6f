// What `rolealerts apply` did, and what it leaves to the operator.
import type { CodedError } from '../../lib/errors.ts';
import { indentedJson } from '../../lib/indented-json.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { scopeData } from './preview-json.ts';
import { counted } from './preview-sentences.ts';
import { changeSection, noteSection } from './preview-text.ts';
import { type Preview, totalsOfPreview } from './preview.ts';

/** One activation that was tried. */
export interface Activation {
  readonly connection: string;
  readonly scope: string;
  readonly alert: string;
  readonly result: 'Verified' | 'NotVerified' | 'Failed';
  readonly error: CodedError | undefined;
}

export interface ApplyReport {
  readonly activations: readonly Activation[];
  /** What was planned. */
  readonly preview: Preview;
}

export interface ApplyTotals {
  readonly verified: number;
  readonly notVerified: number;
  readonly failed: number;
  /** Deactivations that are left to the operator. */
  readonly left: number;
  /** Scopes about which the command cannot tell. */
  readonly unknown: number;
}

export function totalsOfApply({ activations, preview }: ApplyReport): ApplyTotals {
  const count = (result: Activation['result']) => activations.filter((each) => each.result === result).length;
  const { deactivations, failed } = totalsOfPreview(preview);
  return {
    verified: count('Verified'),
    notVerified: count('NotVerified'),
    failed: count('Failed'),
    left: deactivations,
    unknown: failed,
  };
}

const headings: Readonly<Record<Activation['result'], string>> = {
  Verified: 'Activated, and verified by a second list',
  NotVerified: 'SENT, AND NOT VERIFIED: the service does not show the alerts as active',
  Failed: 'FAILED',
};

export function applyText(report: ApplyReport): string {
  const { preview } = report;
  const { scopes } = preview;
  const left = 'LEFT TO THE OPERATOR: only its ledger ends a deactivation';
  return [
    ...(['Verified', 'NotVerified', 'Failed'] as const).flatMap((result) => activationSection(result, report)),
    ...changeSection(left, scopes, 'Deactivate'),
    ...noteSection('Held', scopes),
    ...noteSection('NotApplied', scopes),
    ...noteSection('Failed', scopes),
    `${applySummary(report)}\n`,
  ].join('\n');
}

function activationSection(result: Activation['result'], { activations }: ApplyReport): readonly string[] {
  const found = activations.filter((each) => each.result === result);
  const lines = found.map(({ alert, scope, connection, error }) => {
    const why = error ? `\n      ${sentenceOf(error)}` : '';
    return `  + ${alert} of ${scope}, through ${connectionName('connection', connection)}${why}\n`;
  });
  return found.length === 0 ? [] : [`${headings[result]} (${found.length})\n${lines.join('')}`];
}

function sentenceOf({ message, serviceCode }: CodedError): string {
  return serviceCode === undefined ? message : `${message} (error code ${serviceCode})`;
}

function applySummary(report: ApplyReport): string {
  const { verified, notVerified, failed, left, unknown } = totalsOfApply(report);
  const parts = [
    `${counted(verified, 'alert')} activated`,
    ...(notVerified > 0 ? [`${notVerified} not verified`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${counted(left, 'deactivation')} left to the operator`,
    ...(unknown > 0 ? [`${counted(unknown, 'scope')} not known`] : []),
  ];
  return `Applied: ${parts.join(', ')}.`;
}

/** The shape is a contract: within a version members may be added, never renamed or removed. */
export function applyJson(report: ApplyReport): string {
  const { activations, preview } = report;
  const data = {
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'ApplyReport',
    at: formatTimestamp(preview.nowMs),
    totals: totalsOfApply(report),
    activations: activations.map(activationData),
    scopes: preview.scopes.map((scope) =>
      scopeData({ ...scope, changes: scope.changes.filter(({ action }) => action === 'Deactivate') }),
    ),
  };
  return indentedJson(data);
}

/** Members without a value are absent. */
function activationData({ connection, scope, alert, result, error }: Activation): object {
  return { connection, scope, alert, result, error: error && sentenceOf(error) };
}
