// Counts the members that code of src/ passes to V8's own loops: spreads, copies and searches of large collections. Executed blocks
// do not show them. Replaces methods of the built-in classes, so it needs a thread of its own.

/** Smaller collections are not worth the look at the call stack. */
const least = 64;

type Method = (this: unknown, ...args: unknown[]) => unknown;

export class WalkedCollections {
  readonly #walked = new Map<string, number>();

  start(): void {
    for (const name of ['keys', 'values', 'entries', Symbol.iterator] as const) {
      this.#countSteps(Map.prototype, name);
      this.#countSteps(Set.prototype, name);
    }
    this.#countSteps(Array.prototype, Symbol.iterator);
    for (const name of [
      'union',
      'intersection',
      'difference',
      'isSubsetOf',
      'isSupersetOf',
      'isDisjointFrom',
    ] as const) {
      this.#count(Set.prototype, name, (set, other) => sizeOf(set) + sizeOf(other));
    }
    for (const name of copying) this.#count(Array.prototype, name, sizeOf);
    for (const name of ['keys', 'values', 'entries', 'assign'] as const) {
      this.#count(Object, name, (_, object) =>
        typeof object === 'object' && object ? Reflect.ownKeys(object).length : 0,
      );
    }
    this.#count(JSON, 'stringify', (_, value) => (Array.isArray(value) ? value.length : 0));
  }

  /** What was walked since the last call, by the line that did it. */
  take(): ReadonlyMap<string, number> {
    const walked = new Map(this.#walked);
    this.#walked.clear();
    return walked;
  }

  /** Counts every member that a consumer of the iterator takes. */
  #countSteps(prototype: object, name: PropertyKey): void {
    const original = Reflect.get(prototype, name) as Method;
    const add = this.#add.bind(this);
    const caller = this.#caller.bind(this);
    Reflect.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: unknown) {
        const iterator = original.call(this) as Iterator<unknown>;
        const where = caller(sizeOf(this));
        return where === undefined ? iterator : new CountedSteps(iterator, () => add(where, 1));
      },
    });
  }

  #count(holder: object, name: PropertyKey, sizeOfCall: (self: unknown, argument: unknown) => number): void {
    const original = Reflect.get(holder, name) as Method;
    const add = this.#add.bind(this);
    const caller = this.#caller.bind(this);
    Reflect.defineProperty(holder, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...args: unknown[]) {
        const size = sizeOfCall(this, args[0]);
        const where = caller(size);
        if (where !== undefined) add(where, size);
        return original.apply(this, args);
      },
    });
  }

  #add(where: string, steps: number): void {
    this.#walked.set(where, (this.#walked.get(where) ?? 0) + steps);
  }

  /** The line of src/ that called the built-in function; undefined for a small collection and for other callers. */
  #caller(size: number): string | undefined {
    if (size < least) return undefined;
    const [, , , line = ''] = (new Error('where').stack ?? '').split('\n', 4);
    return /\/(src\/[^):]+:\d+)/.exec(line)?.[1];
  }
}

const copying = [
  'concat',
  'includes',
  'indexOf',
  'join',
  'lastIndexOf',
  'shift',
  'slice',
  'sort',
  'splice',
  'toReversed',
  'toSorted',
  'unshift',
] as const;

class CountedSteps extends Iterator<unknown> {
  readonly #inner: Iterator<unknown>;
  readonly #onStep: () => void;

  constructor(inner: Iterator<unknown>, onStep: () => void) {
    super();
    this.#inner = inner;
    this.#onStep = onStep;
  }

  next(): IteratorResult<unknown> {
    this.#onStep();
    return this.#inner.next();
  }
}

function sizeOf(collection: unknown): number {
  if (Array.isArray(collection)) return collection.length;
  return collection instanceof Map || collection instanceof Set ? collection.size : 0;
}
