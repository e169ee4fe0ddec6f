// The objects that a preview works with, from files or from a cluster, and how files change those of a cluster.
import type { JsonObject } from '../../lib/json-shape.ts';
import { isSameJson } from '../../lib/same-json.ts';
import type { AnyConnection, NamespaceMetadata, RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
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

/** The objects of the cluster after `kubectl apply` of the files. */
export function appliedTo(live: PreviewObjects, files: PreviewObjects): PreviewObjects {
  return {
    policies: merged(live.policies, files.policies, updated),
    connections: merged<AnyConnection>(live.connections, files.connections, updated),
    namespaces: merged<NamespaceMetadata>(live.namespaces, files.namespaces, (_, file) => file),
    secrets: new Map([...live.secrets, ...files.secrets]),
    configMaps: new Map([...live.configMaps, ...files.configMaps]),
    manifests: files.manifests,
  };
}

interface Named {
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
}

function merged<T extends Named>(
  live: readonly T[],
  files: readonly T[],
  update: (stored: T, file: T) => T,
): readonly T[] {
  const objects = new Map(live.map((object) => [namespacedName(object), object]));
  for (const file of files) {
    const stored = objects.get(namespacedName(file));
    objects.set(namespacedName(file), stored ? update(stored, file) : file);
  }
  return [...objects.values()];
}

/** An update keeps what identifies the object and its status; a new spec has a new generation. */
function updated<T extends RoleAlertPolicy | AnyConnection>(stored: T, file: T): T {
  const { uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, annotations } = stored.metadata;
  const isSameSpec = isSameJson(stored.spec, file.spec);
  const kept = {
    uid,
    resourceVersion,
    generation: isSameSpec ? generation : generation + 1,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(annotations && { annotations: { ...annotations, ...file.metadata.annotations } }),
  };
  return { ...file, metadata: { ...file.metadata, ...kept }, ...(stored.status && { status: stored.status }) };
}
