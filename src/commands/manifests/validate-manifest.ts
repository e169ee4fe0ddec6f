// Validates one manifest as an API server would: its metadata, the fields that it knows, the schema with its defaults, the CEL rules.
import { nearestOf } from '../../lib/compare-text.ts';
import type { CrdSchema, CustomResource } from '../../lib/crds.ts';
import { isObject, isString, type JsonObject } from '../../lib/json-shape.ts';
import { apiGroup, groupVersion } from '../../policy/resources.ts';
import { type CelProgram, newCelCompiler } from './cel-environment.ts';
import { celProblems } from './cel-problems.ts';
import { errorAt, type Problem, unknownField } from './problem.ts';
import { type SchemaCheck, schemaCheck } from './schema-problems.ts';

/** The result for one manifest: its problems, and the object with its defaults if it has no errors. */
export interface Validated {
  readonly problems: readonly Problem[];
  readonly object: JsonObject | undefined;
}

/** Problems after which an API server does not evaluate the CEL rules. */
const blocking = new Set(['unknown-field', 'required-field', 'wrong-type', 'unsupported-value', 'too-long']);

export class ManifestValidator {
  readonly #resources: ReadonlyMap<string, CustomResource>;
  readonly #checks = new Map<string, SchemaCheck>();
  readonly #compile: (expression: string) => CelProgram = newCelCompiler();

  constructor(resources: readonly CustomResource[]) {
    this.#resources = new Map(resources.map((resource) => [resource.kind, resource]));
  }

  /** Undefined for an object of another API group, which this program does not know. */
  validate(manifest: unknown): Validated | undefined {
    if (!isObject(manifest)) return { problems: [notAnObject], object: undefined };
    const { apiVersion, kind } = manifest;
    if (!isString(apiVersion) || !isString(kind)) return { problems: withoutType(manifest), object: undefined };
    if (apiVersion.split('/')[0] !== apiGroup) return undefined;
    const resource = this.#resources.get(kind);
    const wrongType =
      apiVersion !== groupVersion ? wrongVersion(apiVersion) : resource ? undefined : this.#wrongKind(kind);
    if (wrongType || !resource) return { problems: wrongType ? [wrongType] : [], object: undefined };
    return this.#validated(manifest, resource);
  }

  /** The rules that compare an object with the stored one. Both with their defaults. */
  updateProblems(object: JsonObject, stored: unknown): readonly Problem[] {
    const resource = this.#resources.get(String(object['kind']));
    return resource ? celProblems(object, resource.schema, this.#compile, { stored }) : [];
  }

  #validated(manifest: JsonObject, resource: CustomResource): Validated {
    const object = withDefaults(withoutStatus(manifest), resource.schema);
    const found = [...metadataProblems(manifest['metadata']), ...this.#check(resource)(object)];
    const isBlocked = found.some(({ check }) => blocking.has(check));
    const problems = isBlocked ? found : [...found, ...celProblems(object, resource.schema, this.#compile)];
    return { problems, object: problems.length === 0 && isObject(object) ? object : undefined };
  }

  #check(resource: CustomResource): SchemaCheck {
    let check = this.#checks.get(resource.kind);
    if (!check) {
      check = schemaCheck(resource);
      this.#checks.set(resource.kind, check);
    }
    return check;
  }

  #wrongKind(kind: string): Problem {
    const kinds = [...this.#resources.keys()];
    const close = nearestOf(kind, kinds);
    const fix = close === undefined ? `write one of ${kinds.join(', ')}` : `write ${close}`;
    return errorAt('unsupported-value', ['kind'], `${apiGroup} has no kind ${kind}`, fix);
  }
}

function withoutStatus(manifest: JsonObject): JsonObject {
  const { status: _status, ...rest } = manifest;
  return rest;
}

const notAnObject = errorAt(
  'wrong-type',
  [],
  'the manifest must be an object with apiVersion, kind, metadata and spec',
);

function withoutType(manifest: JsonObject): readonly Problem[] {
  return ['apiVersion', 'kind'].flatMap((name): Problem[] => {
    if (isString(manifest[name])) return [];
    const fix = name === 'kind' ? 'add kind' : `add apiVersion: ${groupVersion}`;
    return [errorAt('required-field', [name], 'the field is required', fix)];
  });
}

function wrongVersion(apiVersion: string): Problem {
  const message = `${apiVersion} is not a version that this program knows`;
  return errorAt('unsupported-value', ['apiVersion'], message, `write ${groupVersion}`);
}

/** A copy of the value as an API server validates it: without nulls that the schema does not allow, and with its defaults. */
function withDefaults(value: unknown, schema: CrdSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item: unknown) => withDefaults(item, items)) : value;
  }
  if (!isObject(value)) return value;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const known = schema.properties?.[name] ?? schema.additionalProperties;
    const isDropped = member === null && known !== undefined && known.nullable !== true;
    if (!isDropped) members.push([name, known ? withDefaults(member, known) : member]);
  }
  const present = new Set(members.map(([name]) => name));
  for (const [name, known] of Object.entries(schema.properties ?? {}))
    if (known.default !== undefined && !present.has(name)) members.push([name, withDefaults(known.default, known)]);
  return Object.fromEntries(members);
}

/** The fields of ObjectMeta (k8s.io/api/meta/v1). */
const fields = [
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
];

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = new RegExp(`^${label}(\\.${label})*$`);
const namePart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** What an API server demands of the metadata of every object. */
function metadataProblems(metadata: unknown): readonly Problem[] {
  if (!isObject(metadata))
    return [errorAt('required-field', ['metadata'], 'the field is required', 'add metadata with a name')];
  return [
    ...unknownFields(metadata),
    ...nameProblems(metadata),
    ...mapProblems(metadata['labels'], 'labels', isLabelValue),
    ...mapProblems(metadata['annotations'], 'annotations', () => true),
  ];
}

function unknownFields(metadata: JsonObject): readonly Problem[] {
  const unknown = Object.keys(metadata).filter((name) => !fields.includes(name));
  return unknown.map((name) => unknownField(['metadata'], name, fields));
}

function nameProblems({ name, generateName, namespace }: JsonObject): readonly Problem[] {
  const isAbsent = (value: unknown) => value === undefined || value === null || value === '';
  const missing = errorAt('required-field', ['metadata', 'name'], 'the field is required', 'add a name');
  const isGenerated = isString(generateName) && generateName !== '';
  const own = isAbsent(name) ? (isGenerated ? [] : [missing]) : nameProblem('name', name, dnsName);
  return [...own, ...(isAbsent(namespace) ? [] : nameProblem('namespace', namespace, dnsLabel))];
}

const dnsName = { pattern: subdomain, most: 253, letters: 'lower-case letters, digits, "-" and "."' };
const dnsLabel = { pattern: new RegExp(`^${label}$`), most: 63, letters: 'lower-case letters, digits and "-"' };

function nameProblem(field: string, value: unknown, { pattern, most, letters }: typeof dnsName): readonly Problem[] {
  const path = ['metadata', field];
  if (!isString(value)) return [errorAt('wrong-type', path, `the ${field} must be a text`, 'put it in quotes')];
  if (pattern.test(value) && value.length <= most) return [];
  const message = `the ${field} may have up to ${most} ${letters}, and begins and ends with a letter or digit`;
  return [errorAt('metadata', path, message)];
}

function mapProblems(map: unknown, name: string, isValue: (value: string) => boolean): readonly Problem[] {
  if (map === undefined || map === null) return [];
  if (!isObject(map)) return [errorAt('wrong-type', ['metadata', name], 'the value must be an object')];
  return Object.entries(map).flatMap(([key, value]) => {
    const path = ['metadata', name, key];
    if (!isString(value)) return [errorAt('wrong-type', path, 'the value must be a text', 'put it in quotes')];
    if (!isQualifiedName(key)) return [errorAt('metadata', ['metadata', name], `${key} is not a valid key`)];
    return isValue(value) ? [] : [errorAt('metadata', path, `${value} is not a valid value of a label`)];
  });
}

function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && namePart.test(value));
}

/** `NAME` or `PREFIX/NAME`. */
function isQualifiedName(key: string): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  if (more.length > 0 || name.length > 63 || !namePart.test(name)) return false;
  return prefix === undefined || (prefix.length <= 253 && subdomain.test(prefix));
}
