// Sets of texts by key, for keys that mostly have a single member: it is kept without a Set, which takes 150 bytes.

export class TextSets {
  readonly #members = new Map<string, string | Set<string>>();

  add(key: string, member: string): void {
    const members = this.#members.get(key);
    if (members === undefined) this.#members.set(key, member);
    else if (typeof members !== 'string') members.add(member);
    else if (members !== member) this.#members.set(key, new Set([members, member]));
  }

  delete(key: string, member: string): void {
    const members = this.#members.get(key);
    if (members === member) this.#members.delete(key);
    else if (members instanceof Set && members.delete(member) && members.size === 0) this.#members.delete(key);
  }

  /** In the order in which they were added; empty for an unknown key. */
  of(key: string): readonly string[] {
    const members = this.#members.get(key) ?? [];
    return typeof members === 'string' ? [members] : [...members];
  }

  /** The keys with members. */
  keys(): Iterable<string> {
    return this.#members.keys();
  }

  /** Number of keys with members. */
  get size(): number {
    return this.#members.size;
  }
}
