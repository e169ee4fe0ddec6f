// Keeps one copy of texts that repeat, such as reasons and names in thousands of parsed objects. The pool is bounded: it forgets
// what was not asked for lately, so that unique texts (ids, versions) pass through it.
import { type JsonObject, arrayOf, isObject, isString, objectOf } from './json-shape.ts';

/** Longer texts hardly repeat. */
const longestText = 256;

export class TextPool {
  readonly #limit: number;
  #recent = new Map<string, string>();
  /** What was recent before; a text that is asked for again returns to the recent ones. */
  #older = new Map<string, string>();

  /** Holds at most twice `limit` texts. */
  constructor(limit = 1024) {
    this.#limit = limit;
  }

  /** An equal text: the one that was passed in first, while the pool holds it. */
  of(text: string): string {
    if (text.length > longestText) return text;
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    if (this.#recent.size >= this.#limit) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    const kept = this.#older.get(text) ?? text;
    this.#recent.set(kept, kept);
    return kept;
  }

  /** A copy of a JSON value with the texts of the pool. Values that are the same in `previous` are shared, not copied. */
  copyOf<Json>(json: Json, previous?: Json): Json {
    return this.#copyOf(json, previous) as Json;
  }

  #copyOf(json: unknown, previous: unknown): unknown {
    if (json === previous) return previous;
    if (isString(json)) return this.of(json);
    if (Array.isArray(json)) return this.#copyOfList(json, arrayOf(previous));
    return isObject(json) ? this.#copyOfObject(json, objectOf(previous)) : json;
  }

  #copyOfList(list: readonly unknown[], previous: readonly unknown[]): unknown[] {
    return list.map((member, index) => this.#copyOf(member, previous[index]));
  }

  #copyOfObject(object: JsonObject, previous: JsonObject): JsonObject {
    // A spread copy is as compact as a parsed object; one that is built member by member is not.
    const copy: Record<string, unknown> = { ...object };
    // `for … in` makes no list of the names.
    for (const name in copy) copy[name] = this.#copyOf(copy[name], previous[name]);
    return copy;
  }
}
