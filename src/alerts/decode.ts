// Decodes one page of a list (section 2.6) into alerts, or into the problems that make it invalid. Members that decide about
// deactivation must have the right type, or the page fails; all others are kept, sanitized or dropped. This file drops the
// names of people (assigneeName, display names, user principal names, createdBy).
import { cleanText } from '../lib/clean-text.ts';
import {
  booleanOf,
  isBoolean,
  isNonEmptyString,
  isObject,
  isString,
  isWholeNumber,
  type JsonObject,
  nonEmptyStringOf,
  objectOf,
  stringOf,
} from '../lib/json-shape.ts';
import { lastSegment } from './resource-id.ts';
import type { ActorClass, Alert, Incident } from './types.ts';

export interface DecodeLimits {
  /** The maximum length of an alert name, incident id or type, in UTF-16 code units. */
  readonly nameLength: number;
}

export const defaultDecodeLimits: DecodeLimits = { nameLength: 256 };

/** One page. `nextLink` is as the service sent it, neither resolved nor validated. */
export interface AlertPage {
  readonly alerts: readonly Alert[];
  readonly nextLink: string | undefined;
}

/** Why a page is invalid. `path` contains member names and indexes only, no values of the response. */
export interface DecodeProblem {
  readonly path: string;
  readonly message: string;
}

export interface DecodedAlertPage {
  /** Absent exactly when there are problems. */
  readonly value?: AlertPage;
  /** The first ten. */
  readonly problems: readonly DecodeProblem[];
}

const problemsKept = 10;

/** The state of decoding one page: its limits, its problems, and one copy of every repeated text. */
interface Decoding {
  readonly limits: DecodeLimits;
  readonly problems: DecodeProblem[];
  readonly texts: Map<string, string>;
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

/** Returns an array, so that an invalid alert is absent from the result; its problem fails the page. */
function decodeAlert(decoding: Decoding, path: string, json: unknown): readonly Alert[] {
  if (!isObject(json)) return report(decoding, path, 'is not an object');
  const { properties } = json;
  if (!isObject(properties)) return report(decoding, `${path}.properties`, 'is not an object');
  const name = decodeAlertName(decoding, path, json);
  const isActive = decodeIsActive(decoding, path, properties['isActive']);
  const incidents = decodeIncidents(decoding, path, properties['alertIncidents']);
  const count = decodeCount(decoding, path, properties['incidentCount']);
  const definition = objectOf(objectOf(properties['alertDefinition'])['properties']);
  const configuration = objectOf(objectOf(properties['alertConfiguration'])['properties']);
  const system = objectOf(json['systemData']);
  return [
    {
      name,
      isActive,
      incidentCount: Math.max(count, incidents.length),
      incidents,
      severity: textOf(decoding, definition['severityLevel']),
      isScanned: booleanOf(configuration['isEnabled']),
      lastActor: decodeActor(system['lastModifiedByType']),
      modifiedAtMs: decodeTime(properties['lastModifiedDateTime']),
      scannedAtMs: decodeTime(properties['lastScannedDateTime']),
      systemModifiedAtMs: decodeTime(system['lastModifiedAt']),
    },
  ];
}

/**
 * The name becomes a segment of the PATCH's path, so it must be usable unchanged; a name that needs sanitizing or truncating
 * is a problem. Without a name (section 2.1: optional) the last segment of the id is used.
 */
function decodeAlertName(decoding: Decoding, path: string, alert: JsonObject): string {
  const name = nonEmptyStringOf(alert['name']) ?? lastSegment(nonEmptyStringOf(alert['id']) ?? '');
  const isUsable = name !== '' && name !== '.' && name !== '..' && cleanText(name, decoding.limits.nameLength) === name;
  if (!isUsable) report(decoding, `${path}.name`, 'is not usable as an alert name');
  return name;
}

/** Absent means false (section 2.2, "False by default"). Null is invalid, because this member decides about writes. */
function decodeIsActive(decoding: Decoding, path: string, isActive: unknown): boolean {
  if (isActive === undefined) return false;
  if (isBoolean(isActive)) return isActive;
  report(decoding, `${path}.properties.isActive`, 'is not a boolean');
  return false;
}

/** An int32, as in section 2.2 and in our status: the API server would reject a larger number at every reconcile. */
const largestCount = 2 ** 31 - 1;

/** An invalid count or list fails the page: read as "none", it would prove that a dismissal covers every incident. */
function decodeCount(decoding: Decoding, path: string, count: unknown): number {
  if (count === undefined || count === null) return 0;
  if (isWholeNumber(count)) return Math.min(count, largestCount);
  report(decoding, `${path}.properties.incidentCount`, 'is not a whole number from 0');
  return 0;
}

function decodeIncidents(decoding: Decoding, path: string, incidents: unknown): readonly Incident[] {
  if (incidents === undefined || incidents === null) return [];
  if (!Array.isArray(incidents)) return report(decoding, `${path}.properties.alertIncidents`, 'is not an array');
  return incidents.flatMap((incident, index) => decodeIncident(decoding, path, index, incident));
}

/** Section 2.5. The variants differ in their members only; unknown discriminators are kept. */
function decodeIncident(decoding: Decoding, path: string, index: number, json: unknown): Incident | readonly never[] {
  if (!isObject(json)) return report(decoding, `${path}.properties.alertIncidents[${index}]`, 'is not an object');
  const properties = objectOf(json['properties']);
  const sentId = nonEmptyStringOf(json['name']) ?? lastSegment(nonEmptyStringOf(json['id']) ?? '');
  const id = safeName(sentId, decoding.limits.nameLength);
  const type = textOf(decoding, properties['alertIncidentType']) ?? 'Unknown';
  const assigneeType = textOf(decoding, properties['assigneeType']);
  return assigneeType === undefined ? { id, type } : { id, type, assigneeType };
}

const plainText = /^[!-~]*$/;

/**
 * Returns plain text unchanged. Sanitized or truncated text ends with an ellipsis, so that it never equals an incident id
 * in a policy: a forged id must not count as a covered one.
 */
function safeName(text: string, limit: number): string {
  if (text.length <= limit && plainText.test(text)) return text;
  const clean = cleanText(text, limit);
  return clean === text || clean.endsWith('…') ? clean : `${clean}…`;
}

/** A short text for display and grouping; undefined when it is absent, empty or not a string. Equal texts share memory. */
function textOf(decoding: Decoding, json: unknown): string | undefined {
  if (!isNonEmptyString(json)) return undefined;
  const known = decoding.texts.get(json);
  if (known !== undefined) return known;
  const text = safeName(json, decoding.limits.nameLength);
  decoding.texts.set(json, text);
  return text;
}

const actors: Readonly<Record<string, ActorClass>> = {
  user: 'User',
  application: 'Application',
  managedidentity: 'ManagedIdentity',
  key: 'Key',
};

function decodeActor(json: unknown): ActorClass {
  const known = stringOf(json)?.toLowerCase() ?? '';
  return Object.hasOwn(actors, known) ? (actors[known] ?? 'Unknown') : 'Unknown';
}

const dateTime = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|z|[+-]\d\d:\d\d)?$/;

/** RFC 3339; without a time zone, UTC. Undefined when invalid, and for the years 0 and 1, which mean "never". */
function decodeTime(json: unknown): number | undefined {
  const match = isString(json) && json.length <= 40 ? dateTime.exec(json) : null;
  if (!match) return undefined;
  const [, date = '', time = '', zone = 'Z'] = match;
  if (date < '0002') return undefined;
  const timeMs = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

function report(decoding: Decoding, path: string, message: string): readonly never[] {
  if (decoding.problems.length < problemsKept) decoding.problems.push({ path, message });
  return [];
}
