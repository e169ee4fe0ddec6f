// The shape of an alert: the types of section 2, as openapi.yaml has them. Accepts members that section 2 does not define, and any
// text for a set of values (discriminators, enumerations, dates), because the service does not interpret them; absent members, because
// it adds them; and the members of all variants at once. A member whose name is nearly that of an absent one of section 2 is refused as
// misspelt: it would be kept, and the one that was meant would have its default.
import { lastSegment, sameName } from '../../alerts/resource-id.ts';
import { cleanText } from '../../lib/clean-text.ts';
import { editsBetween, nearestOf } from '../../lib/compare-text.ts';
import { isString, isWholeNumber, type JsonObject } from '../../lib/json-shape.ts';
import {
  anyText,
  check,
  flag,
  like,
  list,
  notKnown,
  object,
  refine,
  type Note,
  type ValueShape,
} from '../config-files/shape.ts';
import { openAPITemplate } from '../openapi-template.ts';

/** The problems of one alert, each with its path; empty for a valid one. */
export function checkAlert(alert: unknown, path: string): readonly string[] {
  return check(alert, alertShape, path).problems;
}

/** The problems of a list of incidents; empty for a valid one. */
export function checkIncidents(incidents: unknown, path: string): readonly string[] {
  return check(incidents, incidentsShape, path).problems;
}

/** The part of JSON Schema that the description uses for an alert. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const schemas: Readonly<Record<string, Schema>> = JSON.parse(openAPITemplate).components.schemas;

/** The alternatives of a schema, without references. */
function alternativesOf({ $ref, ...schema }: Schema): readonly Schema[] {
  if ($ref !== undefined) return alternativesOf(schemas[$ref.slice('#/components/schemas/'.length)] as Schema);
  return (schema.anyOf ?? schema.oneOf)?.flatMap(alternativesOf) ?? [schema];
}

function shapeOf(schema: Schema): ValueShape<unknown> {
  const alternatives = alternativesOf(schema);
  const types = alternatives.flatMap(({ type = [] }) => type);
  const shape = shapeOfTypes(types, alternatives);
  return types.includes('null') ? (value, ...place) => (value === null ? null : shape(value, ...place)) : shape;
}

function shapeOfTypes(types: readonly string[], alternatives: readonly Schema[]): ValueShape<unknown> {
  if (types.includes('object')) return shapeOfObject(alternatives);
  if (types.includes('array')) return list(shapeOf(alternatives[0]?.items as Schema));
  if (types.includes('integer')) return int32;
  return types.includes('boolean') ? flag : anyText;
}

/** A member of several variants has the schema of the last one, which covers the variants without a defined discriminator. */
function shapeOfObject(alternatives: readonly Schema[]): ValueShape<JsonObject> {
  const members = alternatives.flatMap(({ properties = {} }) => Object.entries(properties));
  const shapes = Object.fromEntries(members.map(([name, schema]) => [name, shapeOf(schema)]));
  return refine(object({}, shapes, misspelt), checkID);
}

const isInt32 = (value: unknown): value is number => isWholeNumber(value, -(2 ** 31), 2 ** 31 - 1);
const int32 = like(isInt32, 'must be a whole number of 32 bits');

/** A name that differs by more is that of another member. */
const mostEdits = 2;

/** The problem of a name that nearly is that of an absent member; undefined for the name of another member. */
function misspelt(name: string, given: JsonObject, known: readonly string[]): string | undefined {
  const absent = known.filter((each) => given[each] === undefined && Math.abs(each.length - name.length) <= mostEdits);
  const close = nearestOf(name, absent);
  return close !== undefined && editsBetween(name, close) <= mostEdits ? notKnown(close) : undefined;
}

/** The id of a resource of section 2.1 ends in its name; the rest of the id may be any text. */
function checkID(resource: JsonObject, note: Note): JsonObject {
  const { id, name } = resource;
  if (isString(id) && isString(name) && !sameName(lastSegment(id), name))
    note(`must end in the name "${cleanText(name)}"`, 'id');
  return resource;
}

const alertShape = shapeOf({ $ref: '#/components/schemas/Alert' });
const incidentsShape = list(shapeOf({ $ref: '#/components/schemas/AlertIncident' }));
