// Reading members of a document that people write: each returns the value, or notes what is wrong with it by its path and
// returns something harmless. Nothing here knows about faults.
import { cleanText } from '../../lib/clean-text.ts';
import type { JsonObject } from '../alert-document.ts';
import { isObject } from '../alert-shape.ts';

/** One value of a document, where it stands, and where its problems go. */
export interface Place {
  readonly value: unknown;
  /** Empty for the whole document. */
  readonly path: string;
  readonly problems: string[];
}

export function memberOf(place: Place, name: string): Place {
  const value = isObject(place.value) && Object.hasOwn(place.value, name) ? place.value[name] : undefined;
  return { ...place, value, path: place.path === '' ? name : `${place.path}.${name}` };
}

/** The items of a list; none when it is no list. */
export function itemsOf(place: Place): readonly Place[] {
  const { value, path, problems } = place;
  if (!Array.isArray(value)) {
    note(place, 'must be a list');
    return [];
  }
  return value.map((item: unknown, index) => ({ value: item, path: `${path}[${index}]`, problems }));
}

/** The object, when it is one; members other than `known` are noted. */
export function readObject(place: Place, known: readonly string[]): JsonObject {
  const { value } = place;
  if (!isObject(value)) {
    note(place, `must be an object with ${known.join(', ')}`);
    return {};
  }
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) note(memberOf(place, cleanText(name)), `is not known; there are ${known.join(', ')}`);
  }
  return value;
}

export function readWhole(place: Place, least: number, most: number): number {
  const { value } = place;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  note(place, `must be a whole number from ${least} to ${most}`);
  return least;
}

export function readFraction(place: Place): number {
  const { value } = place;
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  note(place, 'must be a number from 0 to 1');
  return 0;
}

/** `lengthLimit` is in UTF-16 units. */
export function readText(place: Place, lengthLimit: number): string {
  const { value } = place;
  if (typeof value === 'string' && value !== '' && value.length <= lengthLimit) return value;
  note(place, `must be a text of 1 to ${lengthLimit} characters`);
  return '';
}

export function readChoice<const T extends string>(place: Place, choices: readonly T[]): T | undefined {
  const found = choices.find((choice) => choice === place.value);
  if (found === undefined) note(place, `must be one of ${choices.join(', ')}`);
  return found;
}

export function readTrue(place: Place): void {
  if (place.value !== true) note(place, 'must be true; leave the rule out for no fault');
}

export function note({ path, problems }: Place, sentence: string): void {
  problems.push(path === '' ? `it ${sentence}` : `${path} ${sentence}`);
}
