// A preview as SARIF 2.1.0: changes and what is not applied, at the alert in the file of its policy.
import { sameName } from '../../alerts/resource-id.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import { arrayOf, objectOf, stringOf } from '../../lib/json-shape.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { sarifLog, sarifUri } from '../findings/sarif.ts';
import type { Manifest } from '../manifests/parse-manifests.ts';
import type { FieldPath } from '../manifests/problem.ts';
import { liveSentence, untilSentence } from './preview-text.ts';
import type { NoteKind, Preview, PreviewChange, PreviewNote, ScopePreview } from './preview.ts';

const rules = {
  deactivation: 'An alert would become inactive',
  activation: 'An alert would become active',
  held: 'A correction waits',
  'not-applied': 'A declaration is not applied',
  'not-known': 'The plan of a scope is not known',
} as const;

/** Notes that code scanning shows; the others are no finding. */
const noteRules: Readonly<
  Record<NoteKind, { readonly ruleId: keyof typeof rules; readonly level: string } | undefined>
> = {
  Failed: { ruleId: 'not-known', level: 'error' },
  Held: { ruleId: 'held', level: 'note' },
  NotApplied: { ruleId: 'not-applied', level: 'warning' },
  InForce: undefined,
};

/** `manifests`: where each policy of a file is declared, by `namespace/name`. */
export function previewSarif(preview: Preview, manifests: ReadonlyMap<string, Manifest>, version: string): string {
  const results = preview.scopes.flatMap((scope) => [
    ...scope.changes.map((change) => changeResult(scope, change, manifests)),
    ...scope.notes.flatMap((note) => noteResult(scope, note, manifests)),
  ]);
  return sarifLog(version, rules, results);
}

function changeResult(scope: ScopePreview, change: PreviewChange, manifests: ReadonlyMap<string, Manifest>): object {
  const { alert, action, because, dismissal, policy } = change;
  const isActivation = action === 'Activate';
  const more = dismissal ? ` Reason: ${dismissal.reason} Bound: ${dismissal.bound}.` : '';
  const text = `${alert} of ${scope.scope} would become ${isActivation ? 'active' : 'inactive'}: ${because}; ${liveSentence(change)}.${more}`;
  return {
    ruleId: isActivation ? 'activation' : 'deactivation',
    level: isActivation ? 'note' : 'warning',
    message: { text },
    locations: [locationOf(scope, { policy, alert }, manifests)],
  };
}

function noteResult(
  scope: ScopePreview,
  note: PreviewNote,
  manifests: ReadonlyMap<string, Manifest>,
): readonly object[] {
  const rule = noteRules[note.kind];
  if (!rule) return [];
  const text = `${scope.scope}: ${note.message}${untilSentence(note)}`;
  const policy = note.policy ?? scope.policies.find((key) => manifests.has(key));
  return [{ ...rule, message: { text }, locations: [locationOf(scope, { ...note, policy }, manifests)] }];
}

interface About {
  readonly policy: string | undefined;
  readonly alert: string | undefined;
}

/** The place in a file, or the name of the object where no file declares it. */
function locationOf(
  { connection }: ScopePreview,
  { policy, alert }: About,
  manifests: ReadonlyMap<string, Manifest>,
): object {
  const manifest = policy === undefined ? undefined : manifests.get(policy);
  if (!manifest) {
    const name = policy === undefined ? connectionName('connection', connection) : `policy ${policy}`;
    return { logicalLocations: [{ fullyQualifiedName: name, kind: 'resource' }] };
  }
  const { line, column } = manifest.placeOf(pathOf(objectOf(manifest.value), alert));
  const region = { startLine: line, startColumn: column };
  return { physicalLocation: { artifactLocation: { uri: sarifUri(manifest.file) }, region } };
}

/** The entry of the alert, or the scope. */
function pathOf(object: JsonObject, alert: string | undefined): FieldPath {
  const alerts = arrayOf(objectOf(object['spec'])['alerts']);
  const index = alerts.findIndex((each) => sameName(stringOf(objectOf(each)['name']) ?? '', alert ?? ''));
  return index < 0 ? ['spec', 'scope'] : ['spec', 'alerts', index];
}
