// A valid manifest as an API server would store it: with the metadata that it adds.
import { isString, objectOf, type JsonObject } from '../lib/json-shape.ts';
import { decodePolicy } from '../policy/decode-resources.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';

/** Undefined for an object of another kind. `namespace` is for a manifest that names none. */
export function storedPolicy(object: JsonObject, namespace: string): RoleAlertPolicy | undefined {
  if (object['kind'] !== 'RoleAlertPolicy') return undefined;
  return decodePolicy(asStored(object, namespace)).value;
}

function asStored(object: JsonObject, defaultNamespace: string): JsonObject {
  const given = objectOf(object['metadata']);
  const namespace = textOr(given['namespace'], defaultNamespace);
  const name = textOr(given['name'], `${textOr(given['generateName'], '')}…`);
  const added = {
    uid: `${namespace}/${name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '1970-01-01T00:00:00Z',
  };
  return { ...object, metadata: { ...given, name, namespace, ...added } };
}

const textOr = (value: unknown, fallback: string) => (isString(value) && value !== '' ? value : fallback);
