// Reads the members of a configuration file one by one. An invalid member is noted with its path and treated as absent, so that
// one run reports all problems of a file.
import { cleanText } from '../../lib/clean-text.ts';
import {
  arrayOf,
  isBoolean,
  isNonEmptyString,
  isObject,
  isString,
  isWholeNumber,
  type JsonObject,
  objectOf,
} from '../../lib/json-shape.ts';
import { nearestOf } from '../../lib/nearest.ts';

/** An object of the document with its path. */
export interface Fields {
  readonly object: JsonObject;
  readonly path: string;
  readonly problems: string[];
}

/** Notes members that are not `known`; without `known`, any name is allowed. An absent object counts as empty. */
export function openFields(
  value: unknown,
  { path, problems, known }: { path: string; problems: string[]; known?: readonly string[] },
): Fields {
  if (value !== undefined && !isObject(value)) problems.push(`${path || 'it'} must be an object`);
  const object = objectOf(value);
  if (known) noteUnknown(object, { path, problems, known });
  return { object, path, problems };
}

/** Notes members that are not `known`, with the name that was probably meant. */
export function noteUnknown(
  object: JsonObject,
  { path, problems, known }: { path: string; problems: string[]; known: readonly string[] },
): void {
  for (const name of Object.keys(object)) if (!known.includes(name)) problems.push(unknownMember(path, name, known));
}

export function unknownMember(path: string, name: string, known: readonly string[]): string {
  const close = nearestOf(name, known);
  return `${pathTo(path, cleanText(name))} is not a known member${close === undefined ? '' : `: write ${close}`}`;
}

export function openMember(fields: Fields, name: string, known?: readonly string[]): Fields {
  const place = { path: pathTo(fields.path, name), problems: fields.problems };
  return openFields(fields.object[name], known ? { ...place, known } : place);
}

/** The objects of a list; an absent list counts as empty. */
export function openList(fields: Fields, name: string, known: readonly string[]): readonly Fields[] {
  const value = fields.object[name] ?? [];
  const path = pathTo(fields.path, name);
  if (!Array.isArray(value)) fields.problems.push(`${path} must be a list`);
  return arrayOf(value).map((item, index) =>
    openFields(item ?? null, { path: `${path}[${index}]`, problems: fields.problems, known }),
  );
}

export function note({ path, problems }: Fields, name: string, what: string): void {
  problems.push(`${pathTo(path, name)} ${what}`);
}

/** A text that is not empty. */
export function readText(fields: Fields, name: string): string | undefined {
  return read(fields, name, 'must be a non-empty text', isNonEmptyString);
}

/** Notes an absent text, and returns an empty one. */
export function requireText(fields: Fields, name: string): string {
  if (fields.object[name] === undefined) note(fields, name, 'is missing');
  return readText(fields, name) ?? '';
}

export function readTexts(fields: Fields, name: string): readonly string[] | undefined {
  return read(fields, name, 'must be a list of texts', isTexts);
}

export function readFlag(fields: Fields, name: string): boolean | undefined {
  return read(fields, name, 'must be true or false', isBoolean);
}

export function readWhole(fields: Fields, name: string, most: number, least = 0): number | undefined {
  return read(fields, name, wholeProblem(least, most), (value): value is number => isWholeNumber(value, least, most));
}

/** Notes an absent number, and returns `least`. */
export function requireWhole(fields: Fields, name: string, most: number, least = 0): number {
  if (fields.object[name] === undefined) note(fields, name, wholeProblem(least, most));
  return readWhole(fields, name, most, least) ?? least;
}

/** A number from 0 to 1. */
export function readFraction(fields: Fields, name: string): number | undefined {
  const isFraction = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;
  return read(fields, name, 'must be a number from 0 to 1', isFraction);
}

/** Milliseconds since 1970 of an RFC 3339 time. */
export function readTime(fields: Fields, name: string): number | undefined {
  const isTime = (value: unknown): value is string => isString(value) && parseTime(value) !== undefined;
  const text = read(fields, name, 'must be a time like 2026-12-24T18:00:00Z', isTime);
  return text === undefined ? undefined : parseTime(text);
}

/** Undefined when `text` is not an RFC 3339 time. */
export function parseTime(text: string): number | undefined {
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text);
  const timeMs = isWhole ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

function read<T>(
  fields: Fields,
  name: string,
  problem: string,
  isRight: (value: unknown) => value is T,
): T | undefined {
  const value = fields.object[name];
  if (value === undefined || isRight(value)) return value;
  note(fields, name, problem);
  return undefined;
}

function wholeProblem(least: number, most: number): string {
  return `must be a whole number from ${least} to ${most}`;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isString);
}

function pathTo(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
