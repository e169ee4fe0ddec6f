// Exported policies as YAML, and what a person has to know about them.
import { Document, isMap, isScalar, isSeq } from 'yaml';

import { cleanText } from '../../lib/clean-text.ts';
import { counted } from '../../lib/counted.ts';
import { objectName } from '../report/object-name.ts';
import { type ExportedPolicy, type ExportOptions, missingReason, type ScopeExport } from './export-policy.ts';
import type { Listing } from './planned-scope.ts';

/** One document for each policy. */
export function exportYaml(policies: readonly ExportedPolicy[]): string {
  return policies.map((policy) => `---\n${documentOf(policy).toString({ lineWidth: 0 })}`).join('');
}

function documentOf(policy: ExportedPolicy): Document {
  // kubectl reads YAML 1.1, in which more plain words are numbers or truth values.
  const document = new Document(policy, { compat: 'yaml-1.1' });
  const alerts = document.getIn(['spec', 'alerts']);
  for (const alert of isSeq(alerts) ? alerts.items : []) {
    const reason = isMap(alert) ? alert.getIn(['dismissal', 'reason'], true) : undefined;
    if (isScalar(reason) && reason.value === missingReason) reason.comment = question;
  }
  return document;
}

const dayMs = 86_400_000;

const question = ' why may it be inactive? At least 8 characters, for example a ticket';

/** What to do before the policies are applied, and what they leave out, as sentences. `failed`: the number of scopes without a list. */
export function exportNotes(
  exported: readonly ScopeExport[],
  failed: number,
  options: ExportOptions,
): readonly string[] {
  const dismissals = exported.reduce((sum, scope) => sum + scope.dismissals, 0);
  const empty = exported.filter((scope) => scope.policies.length === 0 && scope.left.length === 0);
  return [
    summaryOf(exported, failed),
    ...(dismissals === 0 ? [] : dismissalNotes(dismissals, options)),
    ...empty.map(({ scope }) => `${scope} has no alert to declare, so it has no policy.`),
    ...exported.flatMap(({ scope, left }) => left.map((name) => leftOut(scope, name))),
  ];
}

function summaryOf(exported: readonly ScopeExport[], failed: number): string {
  const policies = exported.reduce((sum, scope) => sum + scope.policies.length, 0);
  const failures = `${counted(failed, 'scope')} failed`;
  if (exported.length === 0 && failed > 0) return `Nothing exported: ${failures}.`;
  const summary = `${counted(policies, 'policy', 'policies')} of ${counted(exported.length, 'scope')} exported`;
  return failed === 0 ? `${summary}.` : `${summary}; ${failures}.`;
}

function dismissalNotes(dismissals: number, { connection, dismissalMs }: ExportOptions): readonly string[] {
  const many = dismissals !== 1;
  const days = counted(Math.ceil(dismissalMs / dayMs), 'day');
  const fill = `${counted(dismissals, 'inactive alert is', 'inactive alerts are')} declared with the reason ${missingReason} and an end within ${days}: fill the ${many ? 'reasons' : 'reason'} in, which validate and the API server demand, or export with --active-only.`;
  return mayDismiss(connection) ? [fill] : [fill, denied(connection)];
}

/** A cluster connection grants deactivations to some namespaces only. */
function mayDismiss({ spec }: ExportOptions['connection']): boolean {
  if (spec.deactivation !== 'Allow') return false;
  return !('access' in spec) || (spec.access ?? []).some(({ deactivation }) => deactivation === 'Allow');
}

function denied(connection: ExportOptions['connection']): string {
  const name = objectName(connection);
  return `${name} does not allow deactivations, so policies with dismissals would be Stalled with DeactivationDenied: set deactivation: Allow there, or export with --active-only.`;
}

function leftOut(scope: string, name: string): string {
  return `${scope}: alert ${JSON.stringify(cleanText(name, 80))} is left out, because a policy cannot declare it.`;
}

/** Scopes of one sentence beyond this number are counted. */
const shownScopes = 3;

/** The scopes that could not be listed, as sentences; those with the same cause share one. */
export function exportFailures(
  listings: ReadonlyMap<{ readonly ref: { readonly scope: string } }, Listing>,
): readonly string[] {
  const failed = [...listings].flatMap(([{ ref }, listing]) => ('error' in listing ? [{ ...ref, ...listing }] : []));
  const groups = Map.groupBy(failed, ({ error }) => error.message);
  return [...groups].map(([message, same]) => {
    const shown = same.slice(0, shownScopes).map(({ scope }) => scope);
    const more = same.length > shownScopes ? ` and ${same.length - shownScopes} more` : '';
    const detail = same[0]?.error.detail;
    const cause = `${cleanText(message, 512)}${detail === undefined ? '' : `\n${indented(detail)}`}`;
    return `Not exported: ${shown.join(', ')}${more}: ${cause}`;
  });
}

const indented = (detail: string) =>
  detail
    .split('\n')
    .map((line) => `  ${cleanText(line, 512)}`)
    .join('\n');
