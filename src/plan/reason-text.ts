// What a reason says: the message of its conditions and events. reason-notes.ts has what only the reference page adds.

/** `message` and `next` make up the message. Both may have the placeholders of message-facts.ts. */
export interface ReasonText {
  /** The object first, then what is so, then why. */
  readonly message: string;
  /** The next step of the reader; absent when there is nothing to do. */
  readonly next?: string;
}
