// Keeps one copy of texts that repeat, such as reasons and names in thousands of parsed objects, and of equal parts of such objects.
// The pool is bounded: it forgets what was not asked for lately, so that unique texts (ids, versions) pass through it.
import { type JsonObject, arrayOf, isObject, isString, objectOf } from './json-shape.ts';

/** Longer texts hardly repeat. */
const longestText = 256;

export class TextPool {
  readonly #limit: number;
  #recent = new Map<string, string>();
  /** What was recent before; a text that is asked for again returns to the recent ones. */
  #older = new Map<string, string>();
  #latest: unknown;

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

  /**
   * A copy of a JSON value with the texts of the pool. What is equal in `previous` or in the copy before, at the same place, is shared:
   * most objects of a resource have the same defaults, and the status of one policy resembles that of the next. Do not change a copy.
   */
  copyOf<Json>(json: Json, previous?: Json): Json {
    const copy = this.#copyOf(json, previous, this.#latest);
    this.#latest = copy;
    return copy as Json;
  }

  #copyOf(json: unknown, previous: unknown, latest: unknown): unknown {
    if (json === previous) return previous;
    // A text may be too long for the pool.
    if (json === latest) return latest;
    if (isString(json)) return this.of(json);
    if (Array.isArray(json)) return this.#copyOfList(json, arrayOf(previous), arrayOf(latest));
    return isObject(json) ? this.#copyOfObject(json, objectOf(previous), objectOf(latest)) : json;
  }

  #copyOfList(list: readonly unknown[], previous: readonly unknown[], latest: readonly unknown[]): readonly unknown[] {
    const copy = list.map((member, index) => this.#copyOf(member, previous[index], latest[index]));
    if (isSameList(copy, previous)) return previous;
    return isSameList(copy, latest) ? latest : copy;
  }

  #copyOfObject(object: JsonObject, previous: JsonObject, latest: JsonObject): JsonObject {
    // A spread copy is as compact as a parsed object; one that is built member by member is not.
    const copy: Record<string, unknown> = { ...object };
    // `for … in` makes no list of the names.
    for (const name in copy) copy[name] = this.#copyOf(copy[name], previous[name], latest[name]);
    if (isSameObject(copy, previous)) return previous;
    return isSameObject(copy, latest) ? latest : copy;
  }
}

/**
 * Members that are equal have become the same, so nothing is compared twice. An empty list is not shared, because what is read in place
 * of a missing one is empty too.
 */
function isSameList(copy: readonly unknown[], earlier: readonly unknown[]): boolean {
  return copy.length > 0 && copy.length === earlier.length && copy.every((member, index) => member === earlier[index]);
}

/** As `isSameList`. The order of members does not matter. */
function isSameObject(copy: JsonObject, earlier: JsonObject): boolean {
  let count = 0;
  let earlierCount = 0;
  for (const name in copy) {
    if (copy[name] === undefined || copy[name] !== earlier[name]) return false;
    count++;
  }
  for (const _ in earlier) earlierCount++;
  return count > 0 && count === earlierCount;
}
