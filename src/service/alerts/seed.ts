// The seed file: `scopes: {<scope>: <AlertListResult of section 2.6>}` in YAML or JSON. It is decoded alert by alert, because all of
// them with the members that they lack need many times the memory of the file. Every problem names its path in the file.
import { isObject, type JsonObject, objectOf } from '../../lib/json-shape.ts';
import { noteUnknown } from '../config-files/fields.ts';
import { namedScopes, noteInvalidName, noteRepeatedName } from '../config-files/named-places.ts';
import { longestText } from '../config-files/place-in-text.ts';
import { parseDocument, readDocumentText, refuseProblems } from '../config-files/read.ts';
import { nameProblem } from '../http/resource-path.ts';
import { nameOf, storeAlert, type DocumentPlace, type StoredAlert } from './alert-document.ts';
import { checkAlert } from './alert-shape.ts';

/** A scope of a seed, or an alert of it. Each scope comes once without an alert, before its alerts. */
export interface Seeded {
  readonly scope: string;
  readonly alert?: StoredAlert;
}

export type SeedPlace = Omit<DocumentPlace, 'scope'>;

/** An unchecked seed, with the text that it was read from, if any; no text that is too long to find a place in it. */
export interface SeedDocument {
  readonly document: unknown;
  readonly text?: string;
}

/** Reads a YAML or JSON file. Throws `UsageError`. */
export async function readSeedFile(file: string): Promise<SeedDocument> {
  const text = await readDocumentText('seed', file);
  const document = parseSeedText(text, file);
  return text.length > longestText ? { document } : { document, text };
}

/** `source` names the text in error messages. */
export function parseSeedText(text: string, source: string): unknown {
  return parseDocument('seed', text, source);
}

/**
 * Yields what is valid before the first problem, checks the whole document, and throws `UsageError` at the end with the first problems:
 * their paths, and with `text` their lines and columns. So use the seed within a transaction, to its end.
 */
export function* decodeSeed(document: unknown, source: string, place: SeedPlace, text?: string): Iterable<Seeded> {
  const problems: string[] = [];
  for (const seeded of decodeScopes(document, place, problems)) if (problems.length === 0) yield seeded;
  refuseProblems('seed', source, problems, text);
}

function* decodeScopes(document: unknown, place: SeedPlace, problems: string[]): Iterable<Seeded> {
  noteUnknown(objectOf(document), { path: '', problems, known: ['scopes'] });
  if (!isObject(document) || !isObject(document['scopes'])) {
    problems.push('it must be an object with the member "scopes", an object by scope');
    return;
  }
  for (const { scope, value, path } of namedScopes(document['scopes'], problems)) {
    yield { scope };
    for (const alert of decodeList(value, path, { ...place, scope }, problems)) yield { scope, alert };
  }
}

function* decodeList(list: unknown, path: string, place: DocumentPlace, problems: string[]): Iterable<StoredAlert> {
  checkListMembers(objectOf(list), path, problems);
  if (!isObject(list) || !Array.isArray(list['value'])) {
    problems.push(`${path} must be an object with the list "value"`);
    return;
  }
  const seen = new Set<string>();
  for (const [index, alert] of (list['value'] as readonly unknown[]).entries()) {
    yield* decodeAlert(alert, { path: `${path}.value[${index}]`, place, seen }, problems);
  }
}

/** Refuses a list with a next page, which is incomplete, and other members, which would get lost. */
function checkListMembers(list: JsonObject, path: string, problems: string[]): void {
  if (list['nextLink']) problems.push(`${path}.nextLink must be absent: put the alerts of every page into value`);
  noteUnknown(list, { path, problems, known: ['value', 'nextLink'] });
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
