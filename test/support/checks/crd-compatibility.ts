// What a change of a custom resource definition breaks for the objects, manifests and readers of a released one: something removed, or a rule
// that is stricter. What is added and optional breaks nothing. A change that this cannot judge, such as another CEL rule, counts as stricter.

type Json = Readonly<Record<string, unknown>>;

export interface Schema extends Json {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly subresources?: Json;
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
  readonly schema: { readonly openAPIV3Schema: Schema };
}

export interface Definition {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly Version[];
  };
}

const upperBounds = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const lowerBounds = ['minimum', 'minLength', 'minItems', 'minProperties'];
/** Without them more values are valid. */
const restrictions = new Set(['pattern', 'format']);
const comparedApart = new Set([
  ...upperBounds,
  ...lowerBounds,
  'description',
  'enum',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'x-kubernetes-validations',
]);

/** A finding for each break, with its place. */
export function breaksOf(released: readonly Definition[], present: readonly Definition[]): readonly string[] {
  return released.flatMap((before) => {
    const { name } = before.metadata;
    const after = present.find(({ metadata }) => metadata.name === name);
    return after === undefined ? [`${name}: removed`] : definitionBreaks(before, after);
  });
}

function definitionBreaks({ metadata, spec: before }: Definition, { spec: after }: Definition): readonly string[] {
  const of = (definition: Definition['spec']) => [definition.group, definition.scope, definition.names.kind];
  const named = missing(before.names.shortNames, after.names.shortNames).map((name) => `the short name ${name}`);
  const versions = before.versions.flatMap((version) => {
    const same = after.versions.find(({ name, served }) => name === version.name && served);
    return same === undefined ? [`${version.name}: not served`] : versionBreaks(version, same);
  });
  const renamed = same(of(before), of(after)) ? [] : ['another group, scope or kind'];
  return [...renamed, ...named.map((each) => `${each}: removed`), ...versions].map(
    (what) => `${metadata.name} ${what}`,
  );
}

function versionBreaks(before: Version, after: Version): readonly string[] {
  const pathsOf = ({ selectableFields = [] }: Version) => selectableFields.map(({ jsonPath }) => jsonPath);
  const lost = [
    ...missing(pathsOf(before), pathsOf(after)).map((path) => `the selectable field ${path}`),
    ...missing(keysOf(before.subresources), keysOf(after.subresources)).map((each) => `the subresource ${each}`),
  ].map((what) => `${what}: removed`);
  return [...lost, ...schemaBreaks(before.schema.openAPIV3Schema, after.schema.openAPIV3Schema, '')];
}

function schemaBreaks(before: Schema, after: Schema, path: string): readonly string[] {
  const narrowed = after.enum && (before.enum ? missing(before.enum, after.enum) : ['any other value']);
  const required = missing(after.required, before.required).map((name) => `${path}.${name}: required`);
  const rules = missing(rulesOf(after), rulesOf(before)).map((rule) => `${path}: the rule ${rule}`);
  const wrongs = [
    ...(narrowed ?? []).map((value) => `no longer allows ${String(value)}`),
    ...upperBounds.filter((key) => bound(after, key, Infinity) < bound(before, key, Infinity)).map(tighter),
    ...lowerBounds.filter((key) => bound(after, key, lowest(key)) > bound(before, key, lowest(key))).map(tighter),
    ...otherChanges(before, after),
  ].map((what) => `${path}: ${what}`);
  const members = Object.entries(before.properties ?? {}).flatMap(([name, member]) =>
    memberBreaks(member, after.properties?.[name], `${path}.${name}`),
  );
  const nested = (['items', 'additionalProperties'] as const).flatMap((key) =>
    before[key] === undefined ? [] : memberBreaks(before[key], after[key], `${path}[]`),
  );
  return [...wrongs, ...required, ...rules, ...members, ...nested];
}

function memberBreaks(before: Schema, after: Schema | undefined, path: string): readonly string[] {
  return after === undefined ? [`${path}: removed`] : schemaBreaks(before, after, path);
}

/** Such as another type, default or pattern. */
function otherChanges(before: Schema, after: Schema): readonly string[] {
  const keys = [...new Set([...keysOf(before), ...keysOf(after)])].filter((key) => !comparedApart.has(key));
  const isLooser = (key: string) => restrictions.has(key) && after[key] === undefined;
  return keys.filter((key) => !same(before[key], after[key]) && !isLooser(key)).map((key) => `another ${key}`);
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const keysOf = (json: Json = {}) => Object.keys(json);
const tighter = (key: string) => `a tighter ${key}`;
const lowest = (key: string) => (key === 'minimum' ? -Infinity : 0);
const bound = (schema: Schema, key: string, otherwise: number) => Number(schema[key] ?? otherwise);
const rulesOf = (schema: Schema) => schema['x-kubernetes-validations']?.map(({ rule }) => rule);

function missing<T>(from: readonly T[] = [], in_: readonly T[] = []): readonly T[] {
  return from.filter((each) => !in_.includes(each));
}
