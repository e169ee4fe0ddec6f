// A text that must not be printed: every conversion to a string or to JSON yields `[redacted]`.

const redacted = '[redacted]';
const inspect = Symbol.for('nodejs.util.inspect.custom');

/** Holds a secret. Only `reveal()` returns it, so a search for that name finds every use. */
export class SecretText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  equals(other: SecretText): boolean {
    return this.#text === other.#text;
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }

  [inspect](): string {
    return redacted;
  }
}
