// What a command finds in files, in the formats of other programs: SARIF 2.1.0, which code scanning reads, workflow commands of GitHub
// Actions, and JUnit XML. `validate` and `plan` have the words.
import { indentedJson } from '../../lib/json-shape.ts';
import type { Place } from '../manifests/parse-manifests.ts';

export interface FileFinding {
  /** Of the rules of the report. */
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'note';
  readonly text: string;
  /** A place in a file, or the name of an object that no file declares. */
  readonly at: { readonly file: string; readonly place: Place } | string;
}

/** `rules`: a heading of code scanning by rule. */
export function findingsSarif(
  findings: readonly FileFinding[],
  rules: Readonly<Record<string, string>>,
  version: string,
): string {
  const driver = {
    name: 'rolealerts',
    version,
    rules: Object.entries(rules).map(([id, text]) => ({ id, shortDescription: { text } })),
  };
  const results = findings.map(({ rule, level, text, at }) => ({
    ruleId: rule,
    level,
    message: { text },
    locations: [locationOf(at)],
  }));
  return indentedJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  });
}

function locationOf(at: FileFinding['at']): object {
  if (typeof at === 'string') return { logicalLocations: [{ fullyQualifiedName: at, kind: 'resource' }] };
  const region = { startLine: at.place.line, startColumn: at.place.column };
  return { physicalLocation: { artifactLocation: { uri: sarifUri(at.file) }, region } };
}

/** A relative reference; standard input has no file. A colon in it would end a scheme. */
function sarifUri(file: string): string {
  if (file === '-') return 'stdin';
  const path = file.replace(/^\.\//, '').replaceAll('\\', '/').toWellFormed();
  return encodeURI(path).replaceAll(/[?#:]/g, encodeURIComponent);
}

/** GitHub shows them beside the lines of a pull request. */
export function findingsGithub(findings: readonly FileFinding[]): string {
  return findings.map((finding) => `${workflowCommand(finding)}\n`).join('');
}

function workflowCommand({ rule, level, text, at }: FileFinding): string {
  const placed = typeof at === 'string' ? {} : { file: at.file, line: at.place.line, col: at.place.column };
  const properties = Object.entries({ ...placed, title: `rolealerts ${rule}` });
  const texts = properties.map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${level} ${texts.join(',')}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** A file, or a scope. It is in error with `errors`, otherwise it fails with `failures`; `others` are its output. */
export interface TestCase {
  readonly name: string;
  readonly errors: readonly string[];
  readonly failures: readonly string[];
  readonly others: readonly string[];
}

/** One suite, with the counts on both levels. `command`: `validate` or `plan`. */
export function testCasesJunit(command: string, cases: readonly TestCase[]): string {
  const counts = {
    tests: cases.length,
    failures: cases.filter(({ errors, failures }) => errors.length === 0 && failures.length > 0).length,
    errors: cases.filter(({ errors }) => errors.length > 0).length,
  };
  const elements = cases.map((each) => `${caseElement(command, each)}\n`).join('');
  const suite = element('testsuite', { name: `rolealerts ${command}`, ...counts }, `\n${elements}`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', counts, `\n${suite}\n`)}\n`;
}

function caseElement(command: string, { name, errors, failures, others }: TestCase): string {
  const [kind, lines] = errors.length > 0 ? ['error', [...errors, ...failures]] : ['failure', failures];
  const [first] = lines;
  const outcome = first === undefined ? '' : element(kind, { message: first }, linesOf(lines));
  const output = others.length === 0 ? '' : element('system-out', {}, linesOf(others));
  return element('testcase', { classname: `rolealerts.${command}`, name }, `${outcome}${output}`);
}

const linesOf = (lines: readonly string[]) => escapeXml(lines.join('\n'));

/** `content` is XML. */
function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ''): string {
  const texts = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  return content === '' ? `<${name}${texts.join('')}/>` : `<${name}${texts.join('')}>${content}</${name}>`;
}

/** Characters that XML 1.0 does not allow become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
