// A valid manifest as an API server would store it: with the metadata that it adds.
import { isString, objectOf, type JsonObject } from '../../lib/json-shape.ts';
import { decodeClusterConnection, decodeConnection, decodePolicy } from '../../policy/decode-resources.ts';
import {
  type AnyConnection,
  clusterConnectionKind,
  connectionKind,
  policyKind,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';

/** Undefined for an object of another kind. `namespace` is for a manifest that names none. */
export function storedPolicy(object: JsonObject, namespace: string): RoleAlertPolicy | undefined {
  if (object['kind'] !== policyKind) return undefined;
  return decodePolicy(asStored(object, namespace)).value;
}

/** As `storedPolicy`, for both kinds of connections. */
export function storedConnection(object: JsonObject, namespace: string): AnyConnection | undefined {
  if (object['kind'] === connectionKind) return decodeConnection(asStored(object, namespace)).value;
  if (object['kind'] === clusterConnectionKind) return decodeClusterConnection(asStored(object, undefined)).value;
  return undefined;
}

/** `defaultNamespace`: undefined for a cluster-scoped object. */
function asStored(object: JsonObject, defaultNamespace: string | undefined): JsonObject {
  const { namespace: named, ...given } = objectOf(object['metadata']);
  const namespace = defaultNamespace === undefined ? undefined : textOr(named, defaultNamespace);
  const name = textOr(given['name'], `${textOr(given['generateName'], '')}…`);
  const added = {
    uid: `${namespace ?? ''}/${name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '1970-01-01T00:00:00Z',
  };
  return { ...object, metadata: { ...given, name, ...(namespace !== undefined && { namespace }), ...added } };
}

const textOr = (value: unknown, fallback: string) => (isString(value) && value !== '' ? value : fallback);
