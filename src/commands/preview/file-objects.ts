// The objects that a preview works with, and those of manifests as an API server would store them. The files have been checked before (commands/manifests/check-files.ts).
import { isObject, isString, type JsonObject, objectOf } from '../../lib/json-shape.ts';
import type { AnyConnection, NamespaceMetadata, RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import { storedConnection, storedPolicy } from '../manifests/as-stored.ts';
import type { FileReport } from '../manifests/check-files.ts';
import type { Manifest } from '../manifests/parse-manifests.ts';

/** The objects that a preview decides on, each key once. Their statuses, if they have any, hold the memory of the operator. */
export interface DeclaredObjects {
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
  readonly namespaces: readonly NamespaceMetadata[];
}

export interface PreviewObjects extends DeclaredObjects {
  /** By `namespace/name`, with `data` only. */
  readonly secrets: ReadonlyMap<string, JsonObject>;
  readonly configMaps: ReadonlyMap<string, JsonObject>;
  /** Where each policy of a file is declared, by `namespace/name`. */
  readonly manifests: ReadonlyMap<string, Manifest>;
}

/** Of several objects of one name the last one counts. `namespace`: that of objects that name none. */
export function fileObjects(
  { valid, others }: Pick<FileReport, 'valid' | 'others'>,
  namespace: string,
): PreviewObjects {
  const policies = new Map<string, RoleAlertPolicy>();
  const connections = new Map<string, AnyConnection>();
  const manifests = new Map<string, Manifest>();
  for (const { manifest, object } of valid) {
    const policy = storedPolicy(object, namespace);
    const connection = storedConnection(object, namespace);
    if (connection) connections.set(namespacedName(connection), connection);
    if (!policy) continue;
    policies.set(namespacedName(policy), policy);
    manifests.set(namespacedName(policy), manifest);
  }
  return {
    policies: [...policies.values()],
    connections: [...connections.values()],
    manifests,
    ...otherObjects(others, namespace),
  };
}

function otherObjects(
  others: readonly Manifest[],
  namespace: string,
): Pick<PreviewObjects, 'namespaces' | 'secrets' | 'configMaps'> {
  const namespaces = new Map<string, NamespaceMetadata>();
  const secrets = new Map<string, JsonObject>();
  const configMaps = new Map<string, JsonObject>();
  for (const { value } of others) {
    if (!isObject(value) || value['apiVersion'] !== 'v1') continue;
    const { name, namespace: named } = objectOf(value['metadata']);
    if (!isString(name)) continue;
    const key = `${isString(named) ? named : namespace}/${name}`;
    if (value['kind'] === 'Secret') secrets.set(key, storedSecret(value));
    else if (value['kind'] === 'ConfigMap') configMaps.set(key, value);
    else if (value['kind'] === 'Namespace') namespaces.set(name, storedNamespace(value, name));
  }
  return { namespaces: [...namespaces.values()], secrets, configMaps };
}

/** An API server moves `stringData` to `data`. */
function storedSecret(secret: JsonObject): JsonObject {
  const texts = Object.entries(objectOf(secret['stringData'])).filter(([, text]) => isString(text));
  const encoded = texts.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  return { ...secret, data: { ...objectOf(secret['data']), ...Object.fromEntries(encoded) } };
}

/** An API server adds the label with the name. */
function storedNamespace(namespace: JsonObject, name: string): NamespaceMetadata {
  const labels = Object.entries(objectOf(objectOf(namespace['metadata'])['labels']));
  const texts = labels.filter((label): label is [string, string] => isString(label[1]));
  return {
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      labels: { ...Object.fromEntries(texts), 'kubernetes.io/metadata.name': name },
    },
  };
}
