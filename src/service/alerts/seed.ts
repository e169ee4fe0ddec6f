// The seed file: `scopes: {<scope>: <AlertListResult of section 2.6>}` in YAML or JSON. It is checked as a whole before anything
// is stored. Every problem names its path in the file.
import { cleanText } from '../../lib/clean-text.ts';
import { isObject, type JsonObject } from '../../lib/json-shape.ts';
import { decodeEachScope, noteInvalidName, noteRepeatedName } from '../config-files/named-places.ts';
import { parseDocument, readDocumentText, refuseProblems } from '../config-files/read.ts';
import { nameProblem } from '../http/resource-path.ts';
import { nameOf, storeAlert, type DocumentPlace, type StoredAlert } from './alert-document.ts';
import { checkAlert } from './alert-shape.ts';

/** The alerts of one scope of a seed. */
export interface SeededScope {
  readonly scope: string;
  readonly alerts: readonly StoredAlert[];
}

export type SeedPlace = Omit<DocumentPlace, 'scope'>;

/** An unchecked seed, with the text that it was read from, if any. */
export interface SeedDocument {
  readonly document: unknown;
  readonly text?: string;
}

/** Reads a YAML or JSON file. Throws `UsageError`. */
export async function readSeedFile(file: string): Promise<SeedDocument> {
  const text = await readDocumentText('seed', file);
  return { document: parseSeedText(text, file), text };
}

/** `source` names the text in error messages. */
export function parseSeedText(text: string, source: string): unknown {
  return parseDocument('seed', text, source);
}

/** Checks the whole document. Throws `UsageError` with the first problems: their paths, and with `text` their lines and columns. */
export function decodeSeed(document: unknown, source: string, place: SeedPlace, text?: string): readonly SeededScope[] {
  const problems: string[] = [];
  const scopes = decodeScopes(document, place, problems);
  refuseProblems('seed', source, problems, text);
  return scopes;
}

function decodeScopes(document: unknown, place: SeedPlace, problems: string[]): readonly SeededScope[] {
  if (!isObject(document) || !isObject(document['scopes'])) {
    problems.push('it must be an object with the member "scopes", an object by scope');
    return [];
  }
  for (const name of Object.keys(document)) if (name !== 'scopes') problems.push(`${name} is not a member of a seed`);
  return decodeEachScope(document['scopes'], problems, (scope, list, path) => ({
    scope,
    alerts: decodeList(list, path, { ...place, scope }, problems),
  }));
}

function decodeList(list: unknown, path: string, place: DocumentPlace, problems: string[]): readonly StoredAlert[] {
  if (!isObject(list) || !Array.isArray(list['value'])) {
    problems.push(`${path} must be an object with the list "value"`);
    return [];
  }
  checkListMembers(list, path, problems);
  const seen = new Set<string>();
  return list['value'].flatMap((alert: unknown, index) =>
    decodeAlert(alert, { path: `${path}.value[${index}]`, place, seen }, problems),
  );
}

/** Refuses a list with a next page, which is incomplete, and other members, which would get lost. */
function checkListMembers(list: JsonObject, path: string, problems: string[]): void {
  const { value: _, nextLink, ...others } = list;
  if (nextLink) problems.push(`${path}.nextLink must be absent: put the alerts of every page into value`);
  for (const name of Object.keys(others)) problems.push(`${path}.${cleanText(name)} is not a member of a list`);
}

interface AlertPlace {
  readonly path: string;
  readonly place: DocumentPlace;
  readonly seen: Set<string>;
}

function decodeAlert(alert: unknown, { path, place, seen }: AlertPlace, problems: string[]): readonly StoredAlert[] {
  const shapeProblems = checkAlert(alert, path);
  problems.push(...shapeProblems);
  if (shapeProblems.length > 0 || !isObject(alert)) return [];
  const name = nameOf(alert) ?? '';
  noteInvalidName(nameProblem(name, 'alert name'), `${path}.name`, problems);
  noteRepeatedName(seen, name, `${path}.name`, problems);
  return tryStore(() => storeAlert(alert, name, place), path, problems);
}

/** `JSON.parse` accepts any depth of nesting; `JSON.stringify` fails on a very deep document. */
function tryStore(store: () => StoredAlert, path: string, problems: string[]): readonly StoredAlert[] {
  try {
    return [store()];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.push(`${path} is nested too deeply`);
    return [];
  }
}
