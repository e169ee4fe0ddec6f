// Why a token or an assertion was refused, for the log.
import { errors } from 'jose';

import { messageOf } from '../../lib/errors.ts';

/** The failed check, for the log only. Contains nothing of the token itself. */
export function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) return `${error.claim} ${error.reason}`;
  if (error instanceof errors.JOSEError) return error.code;
  return messageOf(error);
}
