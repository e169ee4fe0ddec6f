// Decodes the incidents of an alert (section 2.5). What describes a person is dropped.
import { isObject, nonEmptyStringOf, objectOf } from '../lib/json-shape.ts';
import { type Decoding, safeName, displayText, report } from './decoding.ts';
import { lastSegment } from './resource-id.ts';
import type { Incident } from './types.ts';

/** Null and an absent member count as no incidents; any other value that is not an array fails the page. */
export function decodeIncidents(decoding: Decoding, path: string, incidents: unknown): readonly Incident[] {
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
  const type = displayText(decoding, properties['alertIncidentType']) ?? 'Unknown';
  return { id, type };
}
