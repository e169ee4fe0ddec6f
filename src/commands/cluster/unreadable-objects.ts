// Objects that this version cannot read, such as those of a newer one. A report names them instead of leaving them out.
import type { KubeObject } from '../../operator/kube/resource.ts';
import { objectKey } from '../../operator/kube/resource.ts';
import type { DecodedResource } from '../../policy/decode-resources.ts';
import type { ResourceKind } from '../report/object-name.ts';

/** What a cache keeps of such an object. */
export interface UnreadableObject extends KubeObject {
  /** The path of the first member that this version cannot read. */
  readonly unreadable: string;
}

/** Decodes every object: those that `decode` refuses to an `UnreadableObject`. */
export function orUnreadable<T>(decode: (json: unknown) => DecodedResource<T>) {
  return (object: KubeObject): DecodedResource<T | UnreadableObject> => {
    const { value, problems } = decode(object);
    if (value !== undefined) return { value, problems };
    return { value: { metadata: object.metadata, unreadable: problems.join(', ') }, problems: [] };
  };
}

/** The readable objects, and a sentence for each other one. */
export function readableOf<T extends object>(
  kind: ResourceKind,
  objects: Iterable<T | UnreadableObject>,
): { readonly items: readonly T[]; readonly notes: readonly string[] } {
  const items: T[] = [];
  const notes: string[] = [];
  for (const object of objects) {
    if ('unreadable' in object) notes.push(unreadableNote(kind, objectKey(object), object.unreadable));
    else items.push(object);
  }
  return { items, notes };
}

/** `key`: `namespace/name`, or the name. */
export function unreadableNote(kind: ResourceKind, key: string, path: string): string {
  return `${kind} ${key} is not shown, because this version of rolealerts cannot read it (${path}). Use the version of the operator.`;
}
