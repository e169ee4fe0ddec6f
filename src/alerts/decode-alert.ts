// Decodes one alert of a page. Members that decide about deactivation must have the right type, or the page fails; all others are
// kept, sanitized or dropped. The names of people are dropped (assigneeName, display names, user principal names, createdBy).
import { cleanText } from '../lib/clean-text.ts';
import {
  booleanOf,
  isBoolean,
  isObject,
  isString,
  isWholeNumber,
  type JsonObject,
  nonEmptyStringOf,
  objectOf,
  stringOf,
} from '../lib/json-shape.ts';
import { decodeIncidents } from './decode-incidents.ts';
import { type Decoding, displayText, report } from './decoding.ts';
import { lastSegment } from './resource-id.ts';
import type { ActorClass, Alert } from './types.ts';

/** Returns an array, so that an invalid alert is absent from the result; its problem fails the page. */
export function decodeAlert(decoding: Decoding, path: string, json: unknown): readonly Alert[] {
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
      severity: displayText(decoding, definition['severityLevel']),
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
  if (!isString(json) || json.length > 40) return undefined;
  const text = usualSpelling(json);
  if (text === undefined || text < '0002') return undefined;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

function usualSpelling(text: string): string | undefined {
  const [, date, time, zone = 'Z'] = dateTime.exec(text) ?? [];
  return date && `${date}T${time}${zone.toUpperCase()}`;
}
