// The seed file: `scopes: {<scope>: <AlertListResult of section 2.6>}` in YAML or JSON. It is decoded alert by alert, because all of
// them with the members that they lack need many times the memory of the file. Every problem names its path in the file.
import { objectOf } from '../../lib/json-shape.ts';
import { namedScopes, noteInvalidName, noteRepeatedName } from '../config-files/named-places.ts';
import { longestText } from '../config-files/place-in-text.ts';
import { parseDocument, readDocumentText, refuseProblems } from '../config-files/read.ts';
import { anyList, anyObject, like, object } from '../config-files/shape.ts';
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

const seedShape = object({ scopes: anyObject }, {});

/** A list with a next page is incomplete, and other members would get lost. */
const nextLink = like((link): link is unknown => !link, 'must be absent: put the alerts of every page into value');
const listShape = object({ value: anyList }, { nextLink });

function* decodeScopes(document: unknown, place: SeedPlace, problems: string[]): Iterable<Seeded> {
  const { scopes = {} } = seedShape(document, '', problems) ?? {};
  for (const { scope, value, path } of namedScopes(scopes, problems)) {
    yield { scope };
    for (const alert of decodeList(value, path, { ...place, scope }, problems)) yield { scope, alert };
  }
}

function* decodeList(list: unknown, path: string, place: DocumentPlace, problems: string[]): Iterable<StoredAlert> {
  const { value = [] } = listShape(list, path, problems) ?? {};
  const seen = new Set<string>();
  for (const [index, alert] of value.entries()) {
    yield* decodeAlert(alert, { path: `${path}.value[${index}]`, place, seen }, problems);
  }
}

interface AlertPlace {
  readonly path: string;
  readonly place: DocumentPlace;
  readonly seen: Set<string>;
}

function decodeAlert(alert: unknown, { path, place, seen }: AlertPlace, problems: string[]): readonly StoredAlert[] {
  const shapeProblems = checkAlert(alert, path);
  problems.push(...shapeProblems);
  if (shapeProblems.length > 0) return [];
  const name = nameOf(objectOf(alert)) ?? '';
  noteInvalidName(nameProblem(name, 'alert name'), `${path}.name`, problems);
  noteRepeatedName(seen, name, `${path}.name`, problems);
  return tryStore(() => storeAlert(objectOf(alert), name, place), path, problems);
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
