// The state of decoding one page, and texts that are safe to show.
import { cleanText } from '../lib/clean-text.ts';
import { isNonEmptyString } from '../lib/json-shape.ts';

export interface DecodeLimits {
  /** The maximum length of an alert name, incident id or type, in UTF-16 code units. */
  readonly nameLength: number;
}

/** Why a page is invalid. `path` contains member names and indexes only, no values of the response. */
export interface DecodeProblem {
  readonly path: string;
  readonly message: string;
}

const problemsKept = 10;

/** The state of decoding one page: its limits, its problems, and one copy of every repeated text. */
export interface Decoding {
  readonly limits: DecodeLimits;
  readonly problems: DecodeProblem[];
  readonly texts: Map<string, string>;
}

const plainText = /^[!-~]*$/;

/**
 * Returns plain text unchanged. Sanitized or truncated text ends with an ellipsis, so that it never equals an incident id
 * in a policy: a forged id must not count as a covered one.
 */
export function safeName(text: string, limit: number): string {
  if (text.length <= limit && plainText.test(text)) return text;
  const clean = cleanText(text, limit);
  return clean === text || clean.endsWith('…') ? clean : `${clean}…`;
}

/** A short text for display and grouping; undefined when it is absent, empty or not a string. Equal texts share memory. */
export function displayText(decoding: Decoding, json: unknown): string | undefined {
  if (!isNonEmptyString(json)) return undefined;
  const known = decoding.texts.get(json);
  if (known !== undefined) return known;
  const text = safeName(json, decoding.limits.nameLength);
  decoding.texts.set(json, text);
  return text;
}

/** Notes a problem, which fails the page. Returns the empty result of what was decoded. */
export function report(decoding: Decoding, path: string, message: string): readonly never[] {
  if (decoding.problems.length < problemsKept) decoding.problems.push({ path, message });
  return [];
}
