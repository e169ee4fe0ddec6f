// Splits the text of a YAML or JSON file into manifests that know their lines. Values are read as kubectl reads them: YAML 1.1,
// where `yes` is true, without its dates and times.
import {
  isCollection,
  isPair,
  isScalar,
  LineCounter,
  type Document,
  parseAllDocuments,
  type ScalarTag,
  type Tags,
  type YAMLError,
} from 'yaml';

import { isObject } from '../../lib/json-shape.ts';
import { errorAt, type FieldPath, type Problem } from './problem.ts';

/** A place in a file; line and column begin with 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One object of a file. */
export interface Manifest {
  /** The name of the file as the user gave it; `-` for standard input. */
  readonly file: string;
  readonly value: unknown;
  /** Where the field begins, or the nearest object around it. */
  placeOf(path: FieldPath): Place;
}

export interface PlacedProblem extends Problem {
  readonly file: string;
  readonly place: Place;
}

export interface ParsedFile {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly PlacedProblem[];
}

/** YAML 1.1 has tags that kubectl does not read. */
const unread = ['timestamp', 'omap', 'pairs', 'set', 'binary'];

const kubectlTags = (tags: Tags): Tags =>
  tags
    .filter((tag) => typeof tag === 'string' || !unread.some((name) => tag.tag.endsWith(`:${name}`) || isTimeTag(tag)))
    .map((tag) => (isExponentTag(tag) ? exponentTag(tag) : tag));

function isTimeTag(tag: object): boolean {
  return 'format' in tag && tag.format === 'TIME';
}

function isExponentTag(tag: Tags[number]): tag is ScalarTag {
  return typeof tag !== 'string' && tag.format === 'EXP';
}

/** To kubectl a number has a digit before its exponent, and is finite: the incident `e1234567` or `1234e567` is text. */
function exponentTag(tag: ScalarTag): ScalarTag {
  const resolve = (text: string) => {
    const value = Number(text.replaceAll('_', ''));
    return Number.isFinite(value) ? value : text;
  };
  return { ...tag, test: /^[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)[eE][-+]?[0-9]+$/, resolve };
}

export function parseManifests(file: string, text: string): ParsedFile {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    version: '1.1',
    customTags: kubectlTags,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const parsed = (Array.isArray(documents) ? documents : []).map((document) => parseDocument(file, document, lines));
  return {
    manifests: parsed.flatMap(({ manifests }) => manifests),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

function parseDocument(file: string, document: Document.Parsed, lines: LineCounter): ParsedFile {
  if (document.errors.length > 0) {
    return { manifests: [], problems: syntaxProblems(file, document.errors, lines) };
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch {
    const message = 'the file has too many aliases';
    return { manifests: [], problems: [syntaxProblem(file, message, placeAt(lines, document.range[0]))] };
  }
  return { manifests: manifestsOf(file, value, document, lines), problems: [] };
}

/** One for each place: each open bracket is an error at the end of the file. */
function syntaxProblems(file: string, errors: readonly YAMLError[], lines: LineCounter): readonly PlacedProblem[] {
  const byPlace = new Map([...errors].reverse().map((error) => [error.pos[0], error] as const));
  return [...byPlace].reverse().map(([offset, { code, message }]) => {
    const sentence = code === 'RESOURCE_EXHAUSTION' ? 'the nesting is too deep' : message;
    return syntaxProblem(file, sentence, placeAt(lines, offset));
  });
}

function syntaxProblem(file: string, message: string, place: Place): PlacedProblem {
  return { ...errorAt('syntax', [], message.replace(/\.$/, '')), file, place };
}

/** The objects of a document: none for an empty one, several for a `List`. */
function manifestsOf(file: string, value: unknown, document: Document.Parsed, lines: LineCounter): readonly Manifest[] {
  if (value === null || value === undefined) return [];
  const manifestAt = (item: unknown, prefix: FieldPath): Manifest => ({
    file,
    value: item,
    placeOf: (path) => placeAt(lines, offsetOf(document, [...prefix, ...path])),
  });
  const items = isObject(value) && isList(value['kind']) ? value['items'] : undefined;
  if (!Array.isArray(items)) return [manifestAt(value, [])];
  return items.map((item: unknown, index) => manifestAt(item, ['items', index]));
}

const isList = (kind: unknown) => typeof kind === 'string' && kind.endsWith('List');

/** Where the last part of the path begins that the document has: a field at its key, an item at its value. */
function offsetOf(document: Document.Parsed, path: FieldPath): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? document.range[0];
  for (const step of path) {
    if (!isCollection(node)) break;
    const found = node.items.find((item, index) => (isPair(item) ? keyOf(item.key) === String(step) : index === step));
    if (found === undefined) break;
    const shown = isPair(found) ? found.key : found;
    offset = rangeStart(shown) ?? offset;
    node = isPair(found) ? found.value : found;
  }
  return offset;
}

const keyOf = (key: unknown) => (isScalar(key) ? String(key.value) : undefined);

function rangeStart(node: unknown): number | undefined {
  return isScalar(node) || isCollection(node) ? node.range?.[0] : undefined;
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
