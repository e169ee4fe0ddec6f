// Decodes one page of a list (section 2.6 of src/service/specification.md) into alerts, or into the problems that make it invalid. decode-alert.ts
// decides about the members of an alert.
import { isObject, isString } from '../lib/json-shape.ts';
import { decodeAlert } from './decode-alert.ts';
import { type DecodeLimits, type DecodeProblem, type Decoding, report } from './decoding.ts';
import type { Alert } from './types.ts';

export const defaultDecodeLimits: DecodeLimits = { nameLength: 256 };

/** One page. `nextLink` is as the service sent it, neither resolved nor validated. */
export interface AlertPage {
  readonly alerts: readonly Alert[];
  readonly nextLink: string | undefined;
}

export interface DecodedAlertPage {
  /** Absent exactly when there are problems. */
  readonly value?: AlertPage;
  /** The first ten. */
  readonly problems: readonly DecodeProblem[];
}

/** Never throws, whatever the value. */
export function decodeAlertPage(json: unknown, limits: DecodeLimits = defaultDecodeLimits): DecodedAlertPage {
  const decoding: Decoding = { limits, problems: [], texts: new Map() };
  const alerts = decodeAlerts(decoding, json);
  const nextLink = isObject(json) ? decodeNextLink(decoding, json['nextLink']) : undefined;
  if (decoding.problems.length > 0) return { problems: decoding.problems };
  return { value: { alerts, nextLink }, problems: [] };
}

function decodeAlerts(decoding: Decoding, json: unknown): readonly Alert[] {
  if (!isObject(json)) return report(decoding, '', 'is not an object');
  const { value } = json;
  if (!Array.isArray(value)) return report(decoding, 'value', 'is not an array');
  return value.flatMap((alert, index) => decodeAlert(decoding, `value[${index}]`, alert));
}

/** Null and the empty text count as absent: the specification says only that the link is optional. */
function decodeNextLink(decoding: Decoding, nextLink: unknown): string | undefined {
  if (nextLink === undefined || nextLink === null || nextLink === '') return undefined;
  if (isString(nextLink)) return nextLink;
  report(decoding, 'nextLink', 'is not a string');
  return undefined;
}
