// The shape of a configuration file: a table of members, and what the value of each must be. A shape checks an unknown value and returns
// what it means. Every problem is noted with its path, so that one run reports all problems of a file.
import { cleanText } from '../../lib/clean-text.ts';
import { nearestOf } from '../../lib/compare-text.ts';
import {
  isBoolean,
  isNonEmptyString,
  isObject,
  isString,
  isWholeNumber,
  type JsonObject,
} from '../../lib/json-shape.ts';
import { refuseProblems } from './read.ts';

/** What the value means; undefined if it has a problem, which is noted. An absent member is not checked. */
export type ValueShape<T> = (value: unknown, path: string, problems: string[]) => T | undefined;

export type MeaningOf<S extends ValueShape<unknown>> = Exclude<ReturnType<S>, undefined>;

/** The meaning, unless there are problems. */
export interface Checked<T> {
  readonly value: T | undefined;
  readonly problems: readonly string[];
}

export function check<T>(document: unknown, shape: ValueShape<T>, path = ''): Checked<T> {
  const problems: string[] = [];
  return { value: shape(document, path, problems), problems };
}

/** `what` and `source` name the document in the message. Throws `UsageError` with the first problems. */
export function requireShape<T>(what: string, source: string, { value, problems }: Checked<T>): T {
  refuseProblems(what, source, problems);
  return value as T;
}

/** A value as it is, of the type that `isRight` tests. */
export function like<T>(isRight: (value: unknown) => value is T, problem: string): ValueShape<T> {
  return (value, path, problems) => {
    if (isRight(value)) return value;
    problems.push(`${path || 'it'} ${problem}`);
    return undefined;
  };
}

export const anyText = like(isString, 'must be text');
export const text = like(isNonEmptyString, 'must be a non-empty text');
export const flag = like(isBoolean, 'must be true or false');
export const anyObject = like(isObject, 'must be an object');
export const anyList = like((value): value is readonly unknown[] => Array.isArray(value), 'must be a list');

export function whole(least: number, most: number): ValueShape<number> {
  const isRight = (value: unknown): value is number => isWholeNumber(value, least, most);
  return like(isRight, `must be a whole number from ${least} to ${most}`);
}

export function oneOf<const T>(values: readonly T[]): ValueShape<T> {
  const isRight = (value: unknown): value is T => values.includes(value as T);
  return like(isRight, `must be one of ${values.join(', ')}`);
}

/** Notes a problem of the value, or of a member of it. */
export type Note = (problem: string, member?: string) => void;

/** What `read` makes of a value of the shape; it notes a problem or returns a meaning. */
export function refine<T, U>(shape: ValueShape<T>, read: (value: T, note: Note) => U | undefined): ValueShape<U> {
  return (given, path, problems) => {
    const value = shape(given, path, problems);
    if (value === undefined) return undefined;
    const before = problems.length;
    const meaning = read(value, (problem, member = '') => problems.push(`${pathTo(path, member) || 'it'} ${problem}`));
    return problems.length > before ? undefined : meaning;
  };
}

/** The shape with a further condition. */
export function checked<T>(shape: ValueShape<T>, problemOf: (value: T) => string | undefined): ValueShape<T> {
  return refine(shape, (value, note) => {
    const problem = problemOf(value);
    if (problem !== undefined) note(problem);
    return value;
  });
}

/** A text in a form of its own. */
export function parsed<T>(parse: (text: string) => T | undefined, problem: string): ValueShape<T> {
  return refine(like(isString, problem), (value, note) => {
    const meaning = parse(value);
    if (meaning === undefined) note(problem);
    return meaning;
  });
}

/** Milliseconds since 1970. */
export const time = parsed(parseTime, 'must be a time like 2026-12-24T18:00:00Z');

/** Undefined when `text` is not an RFC 3339 time. */
export function parseTime(text: string): number | undefined {
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text);
  const timeMs = isWhole ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** Entries of one shape. */
export function list<T>(entry: ValueShape<T>, least: 0 | 1 = 0, most = Infinity): ValueShape<readonly T[]> {
  return (value, path, problems) => {
    const before = problems.length;
    const entries = anyList(value, path, problems) ?? [];
    if (entries.length > most) problems.push(`${path} must have at most ${most} entries`);
    else if (entries.length < least && problems.length === before) problems.push(`${path} must not be empty`);
    const meanings = entries.slice(0, most).map((each, index) => entry(each, `${path}[${index}]`, problems));
    return problems.length > before ? undefined : (meanings as readonly T[]);
  };
}

type Members = Readonly<Record<string, ValueShape<unknown>>>;

type MeaningsOf<M extends Members> = { readonly [Name in keyof M]: MeaningOf<M[Name]> };

/** The problem of a member that the tables do not have; undefined if it may be there. */
type ProblemOfOther = (name: string, given: JsonObject, known: readonly string[]) => string | undefined;

/** An object with members that it must have, and others that it may have. */
export function object<Required extends Members, Optional extends Members>(
  required: Required,
  optional: Optional,
  problemOfOther: ProblemOfOther = (name, _, known) => notKnown(nearestOf(name, known)),
): ValueShape<MeaningsOf<Required> & Partial<MeaningsOf<Optional>>> {
  const members: readonly (readonly [string, ValueShape<unknown>])[] = Object.entries({ ...required, ...optional });
  const names = members.map(([name]) => name);
  const known = new Set(names);
  return (value, path, problems) => {
    const given = anyObject(value, path, problems);
    if (!given) return undefined;
    const before = problems.length;
    for (const name of Object.keys(given)) {
      const problem = known.has(name) ? undefined : problemOfOther(name, given, names);
      if (problem !== undefined) problems.push(`${pathTo(path, cleanText(name))} ${problem}`);
    }
    const meanings: Record<string, unknown> = {};
    for (const [name, shape] of members) {
      if (given[name] !== undefined) meanings[name] = shape(given[name], pathTo(path, name), problems);
      else if (name in required) problems.push(`${pathTo(path, name)} is missing`);
    }
    return problems.length > before ? undefined : (meanings as MeaningsOf<Required> & Partial<MeaningsOf<Optional>>);
  };
}

/** `meant` is the name that was probably meant. */
export function notKnown(meant: string | undefined): string {
  return `is not a known member${meant === undefined ? '' : `: write ${meant}`}`;
}

function pathTo(path: string, name: string): string {
  return path === '' || name === '' || name.startsWith('[') ? `${path}${name}` : `${path}.${name}`;
}
