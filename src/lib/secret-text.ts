// A text that must not be printed: every conversion to a string or to JSON yields `[redacted]`. And new secrets.
import { randomBytes } from 'node:crypto';

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

/** Secrets as a parameter: returns a new one on every call. Unlike `Random`, the source is cryptographically secure. */
export type SecretSource = () => SecretText;

/** 256 random bits of the operating system in base64url, which is safe in a header, a URL and a shell. */
export const systemSecrets: SecretSource = () => new SecretText(randomBytes(32).toString('base64url'));
