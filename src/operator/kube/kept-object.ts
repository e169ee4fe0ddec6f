// The form in which a cache keeps an object: without the metadata that the operator does not use, and with repeated texts once.
import type { TextPool } from '../../lib/text-pool.ts';
import type { KubeObject } from './resource.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * A frozen copy with the texts of the pool, which shares what is the same value in `previous`: the spec, when only the status was
 * written.
 */
export function keptObject<T extends KubeObject>(object: T, previous: T | undefined, texts: TextPool): T {
  const kept = texts.copyOf<KubeObject>({ ...object, metadata: usedMetadata(object) }, previous);
  Object.freeze(kept.metadata);
  return Object.freeze(kept) as T;
}

/**
 * The metadata without `managedFields` and the annotation with the last applied configuration, which would double the memory. A
 * copy: deleting members of a parsed object turns it into a hash table, several times as large.
 */
export function usedMetadata({ metadata }: KubeObject): KubeObject['metadata'] {
  const { managedFields: _, annotations, ...rest } = metadata;
  if (annotations === undefined) return rest;
  const { [lastApplied]: _applied, ...others } = annotations;
  return { ...rest, annotations: others };
}
