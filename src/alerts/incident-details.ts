// What the service says of an incident besides its id and its type, people included (section 2.5). The operator never calls this: only
// a command that a person runs with --reveal does, with their own credential.
import { cleanText } from '../lib/clean-text.ts';
import { arrayOf, isNonEmptyString, nonEmptyStringOf, objectOf, stringOf } from '../lib/json-shape.ts';
import { lastSegment } from './resource-id.ts';

export interface IncidentDetails {
  /** As the service spells it. */
  readonly alert: string;
  readonly id: string;
  readonly type: string;
  /** The text members of the incident in the service's order, sanitized. */
  readonly details: Readonly<Record<string, string>>;
}

/** A response may hold more; a terminal is not the place for it. */
const mostMembers = 32;
const longestText = 256;

/** The incidents of one page of a list that decodes as such (decode.ts). Ignores what has another shape. */
export function incidentDetails(page: unknown): readonly IncidentDetails[] {
  return arrayOf(objectOf(page)['value']).flatMap((alert) => {
    const { name, properties } = objectOf(alert);
    const incidents = arrayOf(objectOf(properties)['alertIncidents']);
    return incidents.map((incident) => detailsOf(stringOf(name) ?? '', objectOf(incident)));
  });
}

function detailsOf(alert: string, { name, id, properties }: Readonly<Record<string, unknown>>): IncidentDetails {
  const { alertIncidentType: type, ...others } = objectOf(properties);
  const texts = Object.entries(others).flatMap(([member, value]) =>
    isNonEmptyString(value) ? [[cleanText(member, 64), cleanText(value, longestText)] as const] : [],
  );
  return {
    alert: cleanText(alert, longestText),
    id: cleanText(nonEmptyStringOf(name) ?? lastSegment(nonEmptyStringOf(id) ?? ''), longestText),
    type: cleanText(stringOf(type) ?? 'Unknown', longestText),
    details: Object.fromEntries(texts.slice(0, mostMembers)),
  };
}
