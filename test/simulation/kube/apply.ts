// Server-side apply in its simple form: a field that a manager applied last and no longer applies is removed, unless another
// manager applied it too. Lists count as a whole, and only managers that apply own fields; a real API server merges lists by
// their keys, and also tracks managers that replace and patch.
import { isSameJson } from '../../../src/lib/json-shape.ts';
import { Refusal } from './object.ts';
import type { Json } from './spec-rules.ts';

/** What each manager applied last, by the uid of the object. */
export class Applied {
  readonly #byUid = new Map<string, Map<string, Json>>();

  /** Remembers what was applied. An object of another uid begins anew. */
  note(uid: string, manager: string, applied: Json): void {
    const managers = this.#byUid.get(uid) ?? new Map<string, Json>();
    this.#byUid.set(uid, managers.set(manager, applied));
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }

  /** The object after the apply. Throws 409 when another manager applied another value, unless by force. */
  merge(uid: string, manager: string, before: Json, applied: Json, isForced: boolean): Json {
    const others = [...(this.#byUid.get(uid) ?? [])].filter(([name]) => name !== manager).map(([, json]) => json);
    const conflict = leaves(applied).find(({ path, value }) =>
      others.some((other) => valueAt(other, path) !== undefined && !isSameJson(valueAt(other, path), value)),
    );
    if (conflict && !isForced) throw new Refusal(409, `conflict with another manager: .${conflict.path.join('.')}`);
    const last = this.#byUid.get(uid)?.get(manager) ?? {};
    const dropped = leaves(last).filter(
      ({ path }) => valueAt(applied, path) === undefined && others.every((other) => valueAt(other, path) === undefined),
    );
    const kept = dropped.reduce<Json>((object, { path }) => without(object, path), before);
    return leaves(applied).reduce<Json>((object, { path, value }) => withValue(object, path, value), kept);
  }
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function leaves(value: unknown, path: readonly string[] = []): readonly Leaf[] {
  if (!isJson(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]));
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  return isJson(value) ? valueAt(value[name], rest) : undefined;
}

function without(object: Json, [name = '', ...rest]: readonly string[]): Json {
  const { [name]: member, ...others } = object;
  if (rest.length === 0 || !isJson(member)) return others;
  const left = without(member, rest);
  return Object.keys(left).length === 0 ? others : { ...others, [name]: left };
}

function withValue(object: Json, [name = '', ...rest]: readonly string[], value: unknown): Json {
  if (rest.length === 0) return { ...object, [name]: value };
  const member = object[name];
  return { ...object, [name]: withValue(isJson(member) ? member : {}, rest, value) };
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
