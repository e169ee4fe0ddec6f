// The objects that clients send, and which parts of them count: a client may set only a part of the metadata.
import { type Metadata, Refusal, type StoredObject } from './object.ts';

/** An object as a client sends it. */
export interface SentObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Partial<Metadata> | undefined;
  readonly [member: string]: unknown;
}

/** What a client may say of the metadata at all. */
export function kept({ labels, annotations, finalizers }: Partial<Metadata> = {}): Partial<Metadata> {
  return { ...(labels && { labels }), ...(annotations && { annotations }), ...(finalizers && { finalizers }) };
}

/** As above, for an object that exists: what is not said is gone. */
export function clearable({ labels, annotations, finalizers }: Partial<Metadata> = {}): Partial<Metadata> {
  return { labels, annotations, finalizers };
}

/** As a DNS subdomain: what most objects are named by. */
export function isName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(name);
}

/** A new finalizer cannot delay an object that is being deleted. */
export function demandFinalizers({ metadata }: StoredObject, sent: StoredObject): void {
  if (metadata.deletionTimestamp === undefined) return;
  const isMore = (sent.metadata.finalizers ?? []).some((name) => !(metadata.finalizers ?? []).includes(name));
  if (isMore) throw new Refusal(422, 'metadata.finalizers: no new finalizers can be added while it is being deleted');
}

/** RFC 7396. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isObject ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}
