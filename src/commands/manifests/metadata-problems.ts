// What an API server demands of the metadata of every object.
import { isObject, isString } from '../../lib/json-shape.ts';
import type { FieldPath } from './field-path.ts';
import type { Check, Problem } from './problem.ts';
import { unknownField } from './unknown-field.ts';

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

export function metadataProblems(metadata: unknown): readonly Problem[] {
  if (!isObject(metadata))
    return [problem('required-field', ['metadata'], 'the field is required', 'add metadata with a name')];
  return [
    ...unknownFields(metadata),
    ...nameProblems(metadata),
    ...mapProblems(metadata['labels'], 'labels', isLabelValue),
    ...mapProblems(metadata['annotations'], 'annotations', () => true),
  ];
}

function unknownFields(metadata: Readonly<Record<string, unknown>>): readonly Problem[] {
  const unknown = Object.keys(metadata).filter((name) => !fields.includes(name));
  return unknown.map((name) => unknownField(['metadata'], name, fields));
}

function nameProblems({ name, generateName, namespace }: Readonly<Record<string, unknown>>): readonly Problem[] {
  return [...ownName(name, generateName), ...namespaceName(namespace)];
}

function ownName(name: unknown, generateName: unknown): readonly Problem[] {
  if (name === undefined || name === null || name === '') {
    const isGenerated = isString(generateName) && generateName !== '';
    return isGenerated ? [] : [problem('required-field', ['metadata', 'name'], 'the field is required', 'add a name')];
  }
  if (!isString(name))
    return [problem('wrong-type', ['metadata', 'name'], 'the name must be a text', 'put it in quotes')];
  if (subdomain.test(name) && name.length <= 253) return [];
  const message =
    'the name may have up to 253 lower-case letters, digits, "-" and ".", and begins and ends with a letter or digit';
  return [problem('metadata', ['metadata', 'name'], message)];
}

function namespaceName(namespace: unknown): readonly Problem[] {
  if (namespace === undefined || namespace === null || namespace === '') return [];
  if (!isString(namespace))
    return [problem('wrong-type', ['metadata', 'namespace'], 'the namespace must be a text', 'put it in quotes')];
  if (new RegExp(`^${label}$`).test(namespace) && namespace.length <= 63) return [];
  const message =
    'the namespace may have up to 63 lower-case letters, digits and "-", and begins and ends with a letter or digit';
  return [problem('metadata', ['metadata', 'namespace'], message)];
}

function mapProblems(map: unknown, name: string, isValue: (value: string) => boolean): readonly Problem[] {
  if (map === undefined || map === null) return [];
  if (!isObject(map)) return [problem('wrong-type', ['metadata', name], 'the value must be an object')];
  return Object.entries(map).flatMap(([key, value]) => {
    const path = ['metadata', name, key];
    if (!isString(value)) return [problem('wrong-type', path, 'the value must be a text', 'put it in quotes')];
    if (!isQualifiedName(key)) return [problem('metadata', ['metadata', name], `${key} is not a valid key`)];
    return isValue(value) ? [] : [problem('metadata', path, `${value} is not a valid value of a label`)];
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

function problem(check: Check, path: FieldPath, message: string, fix?: string): Problem {
  return { check, severity: 'error', path, message, ...(fix !== undefined && { fix }) };
}
