// Checks a document against the types of section 2, as openapi.yaml has them. Accepts members that section 2 does not define, and any
// text for a set of values (discriminators, enumerations, dates), because the service does not interpret them; absent members, because
// it adds them; and the members of all variants at once. A member whose name is nearly that of an absent one of section 2 is refused as
// misspelt: it would be kept, and the one that was meant would have its default.
import { lastSegment, sameName } from '../../alerts/resource-id.ts';
import { cleanText } from '../../lib/clean-text.ts';
import { isBoolean, isObject, isString, isWholeNumber, type JsonObject, objectOf } from '../../lib/json-shape.ts';
import { editsBetween, nearestOf } from '../../lib/nearest.ts';
import { unknownMember } from '../config-files/fields.ts';
import { openAPITemplate } from '../openapi-template.ts';

type Check = (value: unknown, path: string, problems: string[]) => void;

/** The problems of one alert, each with its path; empty for a valid one. */
export function checkAlert(alert: unknown, path: string): readonly string[] {
  const problems: string[] = [];
  alertShape(alert, path, problems);
  return problems;
}

/** The problems of a list of incidents; empty for a valid one. */
export function checkIncidents(incidents: unknown, path: string): readonly string[] {
  const problems: string[] = [];
  incidentsShape(incidents, path, problems);
  return problems;
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

function checkOf(schema: Schema): Check {
  const alternatives = alternativesOf(schema);
  const types = alternatives.flatMap(({ type = [] }) => type);
  const check = checkOfTypes(types, alternatives);
  return types.includes('null') ? orNull(check) : check;
}

function checkOfTypes(types: readonly string[], alternatives: readonly Schema[]): Check {
  if (types.includes('object')) return objectCheck(alternatives);
  if (types.includes('array')) return list(checkOf(alternatives[0]?.items as Schema));
  if (types.includes('integer')) return int32;
  return types.includes('boolean') ? flag : text;
}

/** A member of several variants has the schema of the last one, which covers the variants without a defined discriminator. */
function objectCheck(alternatives: readonly Schema[]): Check {
  const members = alternatives.flatMap(({ properties = {} }) => Object.entries(properties));
  const checks = Object.fromEntries(members.map(([name, schema]) => [name, checkOf(schema)]));
  return 'id' in checks ? resource(object(checks)) : object(checks);
}

const isInt32 = (value: unknown) => isWholeNumber(value, -(2 ** 31), 2 ** 31 - 1);

const text = scalar(isString, 'must be text');
const flag = scalar(isBoolean, 'must be true or false');
const int32 = scalar(isInt32, 'must be a whole number of 32 bits');

function scalar(isRight: (value: unknown) => boolean, message: string): Check {
  return (given, path, problems) => {
    if (!isRight(given)) problems.push(`${path} ${message}`);
  };
}

function object(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members);
  const known = Object.keys(members);
  return (given, path, problems) => {
    if (!isObject(given)) {
      problems.push(`${path} must be an object`);
      return;
    }
    for (const [name, check] of checks) if (given[name] !== undefined) check(given[name], `${path}.${name}`, problems);
    for (const name of Object.keys(given)) {
      const meant = Object.hasOwn(members, name) ? undefined : meantBy(name, given, known);
      if (meant !== undefined) problems.push(unknownMember(path, name, [meant]));
    }
  };
}

/** A name that differs by more is that of another member. */
const mostEdits = 2;

/** The absent member that a misspelt name means; undefined for the name of another member. */
function meantBy(name: string, given: JsonObject, known: readonly string[]): string | undefined {
  const absent = known.filter((each) => given[each] === undefined && Math.abs(each.length - name.length) <= mostEdits);
  const close = nearestOf(name, absent);
  return close !== undefined && editsBetween(name, close) <= mostEdits ? close : undefined;
}

function orNull(check: Check): Check {
  return (given, path, problems) => {
    if (given !== null) check(given, path, problems);
  };
}

function list(item: Check): Check {
  return (given, path, problems) => {
    if (!Array.isArray(given)) problems.push(`${path} must be a list`);
    else for (const [index, entry] of given.entries()) item(entry, `${path}[${index}]`, problems);
  };
}

/** A resource of section 2.1. Its id ends in its name; the rest of the id may be any text. */
function resource(members: Check): Check {
  return (given, path, problems) => {
    members(given, path, problems);
    const { id, name } = objectOf(given);
    if (!isString(id) || !isString(name) || sameName(lastSegment(id), name)) return;
    problems.push(`${path}.id must end in the name "${cleanText(name)}"`);
  };
}

const alertShape = checkOf({ $ref: '#/components/schemas/Alert' });
const incidentsShape = list(checkOf({ $ref: '#/components/schemas/AlertIncident' }));
