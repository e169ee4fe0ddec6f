// Rejects an invalid option with a sentence for the user.
import { CodedError } from '../lib/errors.ts';

export function requireThat(isRight: boolean, message: string): void {
  if (!isRight) throw new CodedError('usage', message);
}
