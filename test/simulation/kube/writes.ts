// What a write makes of an object: creation, replacement of the spec or of the status, patches, deletion with finalizers, and
// namespaces that go with everything in them. Requests of the operator and acts of a scenario come through here alike.
import { isSameJson } from '../../../src/lib/same-json.ts';
import { formatTimestamp } from '../../../src/lib/timestamp.ts';
import { schemaViolations } from '../../support/crd-schema.ts';
import { keyOf, type Metadata, Refusal, type StoredObject } from './object.ts';
import type { SimResource } from './resources.ts';
import { applySchema } from './schema.ts';
import type { ObjectStore } from './store.ts';

/** An object as somebody sends it. */
export interface SentObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Partial<Metadata> | undefined;
  readonly [member: string]: unknown;
}

export interface WritesParts {
  readonly store: ObjectStore;
  readonly nowMs: () => number;
  readonly newUid: () => string;
}

export class Writes {
  readonly #parts: WritesParts;

  constructor(parts: WritesParts) {
    this.#parts = parts;
  }

  create(resource: SimResource, namespace: string | undefined, sent: SentObject): StoredObject {
    const { store, newUid, nowMs } = this.#parts;
    const name = sent.metadata?.name;
    if (name === undefined || name === '') throw new Refusal(422, 'metadata.name: Required value');
    this.#demandNamespace(namespace);
    const { status: _, ...rest } = sent;
    const object = this.#admit(resource, {
      ...(resource.hasStatus ? rest : sent),
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        ...kept(sent.metadata),
        name,
        ...(namespace !== undefined && { namespace }),
        uid: newUid(),
        resourceVersion: '',
        creationTimestamp: formatTimestamp(nowMs()),
        ...(resource.schema && { generation: 1 }),
      },
    });
    if (store.get(resource.plural, keyOf(object))) {
      throw new Refusal(409, `${resource.plural} "${name}" already exists`, 'AlreadyExists');
    }
    return store.put(resource.plural, object);
  }

  /** PUT of the whole object: the status stays where it has a path of its own. */
  replace(resource: SimResource, namespace: string | undefined, name: string, sent: SentObject): StoredObject {
    const before = this.#require(resource, namespace, name);
    this.#demandVersion(before, sent, resource);
    const { status: _, ...rest } = sent;
    return this.#store(resource, before, {
      ...(resource.hasStatus ? { ...rest, status: before.status } : sent),
      apiVersion: before.apiVersion,
      kind: before.kind,
      metadata: { ...before.metadata, ...clearable(sent.metadata) },
    });
  }

  /** PUT of the status: everything else stays as it is. */
  replaceStatus(resource: SimResource, namespace: string | undefined, name: string, sent: SentObject): StoredObject {
    const before = this.#require(resource, namespace, name);
    this.#demandVersion(before, sent, resource);
    return this.#store(resource, before, { ...before, status: sent['status'] as StoredObject['status'] });
  }

  /** RFC 7396, on the object or on its status. */
  mergePatch(
    resource: SimResource,
    namespace: string | undefined,
    name: string,
    patch: SentObject,
    subresource?: 'status',
  ): StoredObject {
    const before = this.#require(resource, namespace, name);
    this.#demandVersion(before, patch, resource);
    const merged = merge(before, patch) as StoredObject;
    const { apiVersion, kind } = before;
    if (subresource === 'status') return this.#store(resource, before, { ...before, status: merged.status });
    const status = resource.hasStatus ? before.status : merged.status;
    const metadata = { ...before.metadata, ...clearable(merged.metadata) };
    return this.#store(resource, before, { ...merged, apiVersion, kind, metadata, ...(status && { status }) });
  }

  /** With finalizers it is only marked; without, it is gone. */
  delete(resource: SimResource, namespace: string | undefined, name: string): StoredObject {
    const { store, nowMs } = this.#parts;
    const before = this.#require(resource, namespace, name);
    if ((before.metadata.finalizers ?? []).length === 0) {
      store.delete(resource.plural, before);
      return before;
    }
    if (before.metadata.deletionTimestamp !== undefined) return before;
    const deletionTimestamp = formatTimestamp(nowMs());
    const generation = before.metadata.generation;
    return store.put(resource.plural, {
      ...before,
      metadata: { ...before.metadata, deletionTimestamp, ...(generation && { generation: generation + 1 }) },
    });
  }

  #store(resource: SimResource, before: StoredObject, sent: StoredObject): StoredObject {
    const { store } = this.#parts;
    const after = this.#admit(resource, sent, before);
    const isSpecSame = isSameJson(after.spec, before.spec);
    const { generation } = before.metadata;
    const metadata =
      isSpecSame || generation === undefined ? after.metadata : { ...after.metadata, generation: generation + 1 };
    const object = { ...after, metadata };
    if (isSameJson(object, before)) return before;
    const isGone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
    if (!isGone) return store.put(resource.plural, object);
    store.delete(resource.plural, object);
    return object;
  }

  /** Prunes, fills in defaults, validates. */
  #admit(resource: SimResource, object: StoredObject, before?: StoredObject): StoredObject {
    const { schema, rules, plural } = resource;
    if (!schema) return object;
    const { apiVersion, kind, metadata, ...rest } = object;
    const shaped = applySchema(schema, rest) as Pick<StoredObject, 'spec' | 'status'>;
    const violations = Object.entries(schema.properties ?? {})
      .filter(([member]) => member === 'spec' || member === 'status')
      .flatMap(([member, part]) => {
        const value = shaped[member as 'spec' | 'status'];
        return value === undefined ? [] : schemaViolations(part, value, member);
      });
    if (shaped.spec === undefined) violations.push('spec: Required value');
    if (violations.length === 0 && rules && shaped.spec) violations.push(...rules(shaped.spec, before?.spec));
    if (violations.length > 0)
      throw new Refusal(422, `${plural} "${metadata.name}" is invalid: ${violations.join(', ')}`);
    return { apiVersion, kind, metadata, ...shaped };
  }

  #require(resource: SimResource, namespace: string | undefined, name: string): StoredObject {
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    const object = this.#parts.store.get(resource.plural, key);
    if (object) return object;
    throw new Refusal(404, `${resource.plural} "${name}" not found`);
  }

  #demandVersion({ metadata }: StoredObject, sent: SentObject, { plural }: SimResource): void {
    const { uid, resourceVersion } = sent.metadata ?? {};
    const isStale =
      resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== metadata.resourceVersion;
    if (!isStale && (uid === undefined || uid === '' || uid === metadata.uid)) return;
    throw new Refusal(409, `Operation cannot be fulfilled on ${plural} "${metadata.name}"`);
  }

  #demandNamespace(namespace: string | undefined): void {
    if (namespace === undefined) return;
    const object = this.#parts.store.get('namespaces', namespace);
    if (!object) throw new Refusal(404, `namespaces "${namespace}" not found`);
    if (object.metadata.deletionTimestamp === undefined) return;
    throw new Refusal(403, `unable to create new content in namespace ${namespace} because it is being terminated`);
  }
}

export function apiVersionOf({ group, version }: SimResource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** What a client may say of the metadata at all. */
function kept({ labels, annotations, finalizers }: Partial<Metadata> = {}): Partial<Metadata> {
  return { ...(labels && { labels }), ...(annotations && { annotations }), ...(finalizers && { finalizers }) };
}

/** As above, for an object that exists: what is not said is gone. */
function clearable({ labels, annotations, finalizers }: Partial<Metadata> = {}): Partial<Metadata> {
  return { labels, annotations, finalizers };
}

function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isObject ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merge(result[name], value);
  }
  return result;
}
