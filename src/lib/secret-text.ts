// A text that must not be printed: it shows itself as `[redacted]` however it is turned into text.

const redacted = '[redacted]';
const inspect = Symbol.for('nodejs.util.inspect.custom');

/** Holds a secret. Only `reveal()` gives it out, so a search for that word finds every use. */
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
