// A preview as JUnit XML: a test case for each scope, which fails if something would change, and is in error if that is not known.
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { junitReport } from '../findings/junit.ts';
import { element, escapeXml } from '../findings/xml.ts';
import { liveSentence, untilSentence } from './preview-text.ts';
import { isFailed, type NoteKind, type Preview, type PreviewChange, type ScopePreview } from './preview.ts';

export function previewJunit({ scopes }: Preview): string {
  const counts = {
    tests: scopes.length,
    failures: scopes.filter((scope) => !isFailed(scope) && scope.changes.length > 0).length,
    errors: scopes.filter(isFailed).length,
  };
  return junitReport('rolealerts plan', counts, scopes.map(testCase));
}

function testCase(scope: ScopePreview): string {
  const { changes, connection } = scope;
  const name = `${scope.scope} through ${connectionName('connection', connection)}`;
  const unknown = notesOf(scope, 'Failed');
  const lines = changes.map(changeLine);
  const [problem] = unknown;
  const [first] = lines;
  const outcome = problem
    ? element('error', { message: problem }, textOf([...unknown, ...lines]))
    : first === undefined
      ? ''
      : element('failure', { message: first }, textOf(lines));
  const others = [...notesOf(scope, 'Held'), ...notesOf(scope, 'NotApplied'), ...notesOf(scope, 'InForce')];
  const output = others.length > 0 ? element('system-out', {}, textOf(others)) : '';
  return `${element('testcase', { classname: 'rolealerts.plan', name }, `${outcome}${output}`)}\n`;
}

function changeLine(change: PreviewChange): string {
  const { alert, action, because, dismissal } = change;
  const more = dismissal ? `; reason: ${dismissal.reason}; bound: ${dismissal.bound}` : '';
  return `${alert} would become ${action === 'Activate' ? 'active' : 'inactive'}: ${because}; ${liveSentence(change)}${more}`;
}

function notesOf({ notes }: ScopePreview, kind: NoteKind): readonly string[] {
  return notes.filter((note) => note.kind === kind).map((note) => `${note.message}${untilSentence(note)}`);
}

const textOf = (lines: readonly string[]) => escapeXml(lines.join('\n'));
