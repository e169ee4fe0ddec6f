// The effect of each write on an object: creation, replacement of the spec or of the status, patches, deletion with finalizers, and
// namespaces that go with everything in them. It handles requests of the operator and actions of a scenario alike.
import { isSameJson } from '../../../src/lib/json-shape.ts';
import { formatTimestamp } from '../../../src/lib/timestamp.ts';
import { schemaViolations } from '../../support/checks/crd-schema.ts';
import { keyOf, Refusal, type StoredObject } from './object.ts';
import type { SimResource } from './resources.ts';
import { clearable, demandFinalizers, isName, kept, mergePatch, type SentObject } from './sent-object.ts';
import { applySchema, brokenRules } from './spec-rules.ts';
import type { ObjectStore } from './store.ts';

export interface WritesDeps {
  readonly store: ObjectStore;
  readonly nowMs: () => number;
  readonly newUid: () => string;
}

/** What a deletion demands of the object. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export class Writes {
  /** Members of statuses that the installed CRDs do not know, as after an upgrade of the operator alone. */
  readonly unknownMembers = new Set<string>();
  readonly #parts: WritesDeps;
  /** A new object is stored without its default status, so that the first write is a change whatever it says. */
  readonly #isNew = new WeakSet<StoredObject>();

  constructor(parts: WritesDeps) {
    this.#parts = parts;
  }

  create(resource: SimResource, namespace: string | undefined, sent: SentObject): StoredObject {
    const { store, newUid, nowMs } = this.#parts;
    const name = sent.metadata?.name;
    if (name === undefined || !isName(name)) throw new Refusal(422, 'metadata.name: Invalid value');
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
    const stored = store.put(resource.plural, object);
    if (resource.hasStatus) this.#isNew.add(stored);
    return stored;
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
    const { uid } = patch.metadata ?? {};
    if (uid !== undefined && uid !== before.metadata.uid) throw new Refusal(422, 'metadata.uid: field is immutable');
    this.#demandVersion(before, patch, resource);
    const merged = mergePatch(before, patch) as StoredObject;
    const { apiVersion, kind } = before;
    if (subresource === 'status') return this.#store(resource, before, { ...before, status: merged.status });
    const status = resource.hasStatus ? before.status : merged.status;
    const metadata = { ...before.metadata, ...clearable(merged.metadata) };
    return this.#store(resource, before, { ...merged, apiVersion, kind, metadata, ...(status && { status }) });
  }

  /** With finalizers it is only marked; without, it is gone. */
  delete(
    resource: SimResource,
    namespace: string | undefined,
    name: string,
    preconditions: Preconditions = {},
  ): StoredObject {
    const { store, nowMs } = this.#parts;
    const before = this.#require(resource, namespace, name);
    this.#demandVersion(before, { metadata: { ...preconditions } }, resource);
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
    demandFinalizers(before, sent);
    const after = this.#admit(resource, sent, before);
    const isSpecSame = isSameJson(after.spec, before.spec);
    const { generation } = before.metadata;
    const metadata =
      isSpecSame || generation === undefined ? after.metadata : { ...after.metadata, generation: generation + 1 };
    const object = { ...after, metadata };
    if (isSameJson(object, before) && !this.#isNew.has(before)) return before;
    const isGone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
    if (!isGone) return store.put(resource.plural, object);
    store.delete(resource.plural, object);
    return object;
  }

  /** Prunes, fills in defaults, validates. */
  #admit(resource: SimResource, object: StoredObject, before?: StoredObject): StoredObject {
    const { schema, plural } = resource;
    if (!schema) return object;
    const { apiVersion, kind, metadata, ...rest } = object;
    const known = applySchema(schema, rest) as Pick<StoredObject, 'spec' | 'status'>;
    const shaped = { ...known, ...(known.status && { status: without(known.status, this.unknownMembers) }) };
    const violations = Object.entries(schema.properties ?? {})
      .filter(([member]) => member === 'spec' || member === 'status')
      .flatMap(([member, part]) => {
        const value = shaped[member as 'spec' | 'status'];
        return value === undefined ? [] : schemaViolations(part, value, member);
      });
    if (shaped.spec === undefined) violations.push('spec: Required value');
    // What an older schema let through stays valid for as long as it is not touched. All rules are about the spec.
    const isKept = before !== undefined && isSameJson(shaped.spec, before.spec);
    if (violations.length === 0 && !isKept) violations.push(...brokenRules(schema, shaped, before));
    const broken = isKept ? violations.filter((violation) => !violation.startsWith('spec')) : violations;
    if (broken.length > 0) throw new Refusal(422, `${plural} "${metadata.name}" is invalid: ${broken.join(', ')}`);
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
    const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw new Refusal(403, message, 'Forbidden', ['NamespaceTerminating']);
  }
}

/** Without these members, at any depth. */
function without<T>(value: T, members: ReadonlySet<string>): T {
  return members.size === 0
    ? value
    : (JSON.parse(JSON.stringify(value, (name, part) => (members.has(name) ? undefined : part))) as T);
}

export function apiVersionOf({ group, version }: SimResource): string {
  return group === '' ? version : `${group}/${version}`;
}
