// What keeps the controller itself from sending or recording something.
import { CodedError, isCoded } from '../lib/errors.ts';

/**
 * `plan-outdated`: the action would not be planned now. `not-leading`: this process may not write now. `limit-reached`: the deactivations
 * of the hour are used up. `object-missing`: the object to write to does not exist.
 */
export type ControllerErrorCode = 'plan-outdated' | 'not-leading' | 'limit-reached' | 'object-missing';

export class ControllerError extends CodedError<ControllerErrorCode> {}

/** True for a `ControllerError` with one of the codes. */
export function isControllerError(error: unknown, ...codes: readonly ControllerErrorCode[]): error is ControllerError {
  return error instanceof ControllerError && isCoded(error, ...codes);
}

/** The error for an action that may no longer be declared. `detail` goes to the log. */
export function outdated(detail: string): ControllerError {
  return new ControllerError('plan-outdated', 'What was planned is no longer sure to be declared.', { detail });
}
