// The metadata of a cluster's objects. The objects are untrusted: an invalid member counts as absent.
import { arrayOf, isObject, isString, type JsonObject, objectOf, stringOf } from '../../lib/json-shape.ts';
import { parseTime } from '../config-files/shape.ts';
import type { Requestor } from './assignments.ts';

export type ClusterObject = JsonObject;

/** Kubernetes does not store the creator of a binding, only the program (field manager) that wrote it first. */
export function decodeRequestor(binding: ClusterObject): Requestor | undefined {
  const { managedFields } = objectOf(binding['metadata']);
  const entries = arrayOf(managedFields).filter(isObject);
  const [first] = entries.toSorted((left, right) => timeOf(left) - timeOf(right));
  const name = stringOf(first?.['manager']);
  return name === undefined ? undefined : { name };
}

function timeOf({ time }: JsonObject): number {
  return parseTime(stringOf(time) ?? '') ?? Number.MAX_SAFE_INTEGER;
}

/** Objects without a namespace are under the empty text. */
export function groupByNamespace(objects: readonly ClusterObject[]): ReadonlyMap<string, readonly ClusterObject[]> {
  return Map.groupBy(objects, (object) => metadataOf(object).namespace ?? '');
}

interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: string | undefined;
}

/** Absent texts that are required are empty. */
export function metadataOf(object: ClusterObject): Metadata {
  const metadata = objectOf(object['metadata']);
  return {
    name: stringOf(metadata['name']) ?? '',
    uid: stringOf(metadata['uid']) ?? '',
    namespace: stringOf(metadata['namespace']),
    labels: textsIn(metadata, 'labels'),
    annotations: textsIn(metadata, 'annotations'),
    createdAt: stringOf(metadata['creationTimestamp']),
  };
}

function textsIn(object: JsonObject, name: string): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(object[name])).filter(([, value]) => isString(value));
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}
