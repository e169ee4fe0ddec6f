// A preview as SARIF, with changes and what is not applied at the alert in the file of its policy, and as JUnit XML, with a test case for each
// scope.
import { sameName } from '../../alerts/resource-id.ts';
import { arrayOf, type JsonObject, objectOf, stringOf } from '../../lib/json-shape.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { type FileFinding, findingsSarif, testCasesJunit } from '../findings/findings.ts';
import type { Manifest } from '../manifests/parse-manifests.ts';
import type { FieldPath } from '../manifests/problem.ts';
import {
  changeSentence,
  type NoteKind,
  noteSentence,
  type Preview,
  type PreviewChange,
  type ScopePreview,
  sourceOf,
} from './preview.ts';

const rules = {
  deactivation: 'An alert would become inactive',
  activation: 'An alert would become active',
  held: 'A correction waits',
  'not-applied': 'A declaration is not applied',
  'not-ready': 'A policy would not be ready',
  'not-known': 'The plan of a scope is not known',
} as const;

/** Notes that code scanning shows; the others are no finding. */
const noteRules: Readonly<
  Record<NoteKind, { readonly rule: keyof typeof rules; readonly level: FileFinding['level'] } | undefined>
> = {
  Failed: { rule: 'not-known', level: 'error' },
  NotReady: { rule: 'not-ready', level: 'error' },
  Held: { rule: 'held', level: 'note' },
  NotApplied: { rule: 'not-applied', level: 'warning' },
  InForce: undefined,
};

/** Where each policy of a file is declared, by `namespace/name`. */
type Manifests = ReadonlyMap<string, Manifest>;

export function previewSarif({ scopes }: Preview, manifests: Manifests, version: string): string {
  const findings = scopes.flatMap((scope) => [
    ...scope.changes.map((change) => changeFinding(scope, change, manifests)),
    ...noteFindings(scope, manifests),
  ]);
  return findingsSarif(findings, rules, version);
}

function changeFinding(scope: ScopePreview, change: PreviewChange, manifests: Manifests): FileFinding {
  const isActivation = change.action === 'Activate';
  const isDone = change.result === undefined || change.result === 'Verified';
  return {
    rule: isActivation ? 'activation' : 'deactivation',
    level: isActivation ? (isDone ? 'note' : 'error') : 'warning',
    text: `${changeSentence(scope, change)}.`,
    at: placeOf(scope, change, manifests),
  };
}

function noteFindings(scope: ScopePreview, manifests: Manifests): readonly FileFinding[] {
  return scope.notes.flatMap((note) => {
    const found = noteRules[note.kind];
    if (!found) return [];
    const policy = note.policy ?? scope.policies.find((key) => manifests.has(key));
    const at = placeOf(scope, { policy, alert: note.alert }, manifests);
    return [{ rule: found.rule, level: found.level, text: `${scope.scope}: ${noteSentence(note)}`, at }];
  });
}

interface About {
  readonly policy: string | undefined;
  readonly alert: string | undefined;
}

function placeOf(scope: ScopePreview, about: About, manifests: Manifests): FileFinding['at'] {
  const manifest = about.policy === undefined ? undefined : manifests.get(about.policy);
  if (!manifest) return sourceOf(scope, about);
  return { file: manifest.file, place: manifest.placeOf(pathOf(objectOf(manifest.value), about.alert)) };
}

/** The entry of the alert, or the scope. */
function pathOf(object: JsonObject, alert: string | undefined): FieldPath {
  const alerts = arrayOf(objectOf(object['spec'])['alerts']);
  const index = alerts.findIndex((each) => sameName(stringOf(objectOf(each)['name']) ?? '', alert ?? ''));
  return index < 0 ? ['spec', 'scope'] : ['spec', 'alerts', index];
}

/** A scope fails if something would change or could not be changed or a policy would not be ready, and is in error if that is not known. */
export function previewJunit({ scopes }: Preview): string {
  const cases = scopes.map((scope) => {
    const notes = (kind: NoteKind) => scope.notes.filter((note) => note.kind === kind).map(noteSentence);
    const remaining = scope.changes.filter(({ result }) => result !== 'Verified');
    return {
      name: `${scope.scope} through ${connectionName('connection', scope.connection)}`,
      errors: notes('Failed'),
      failures: [...remaining.map((change) => changeSentence(scope, change)), ...notes('NotReady')],
      others: [...notes('Held'), ...notes('NotApplied'), ...notes('InForce')],
    };
  });
  return testCasesJunit('plan', cases);
}
