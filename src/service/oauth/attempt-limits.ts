// The limits of failed logins, one for each kind of credential.
import type { AttemptCounters } from './attempt-counters.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import { tokenBounds } from './authorization.ts';
import { signInBounds } from './authorize/sign-in.ts';
import type { KnownCallers } from './known-callers.ts';
import { assertionBounds, clientBounds, codeBounds } from './token/client-login.ts';

/**
 * Passwords have counters of their own. Each wrong one takes a slow comparison, so that a minute is too short to fill them, while a flood
 * of other credentials from thousands of addresses can fill its table up to the low bound of a password, and so close names that never
 * failed.
 */
export function createAttemptLimits(newCounters: () => AttemptCounters, known: KnownCallers) {
  const counters = newCounters();
  return {
    passwords: createAttemptLimit('password', signInBounds, newCounters(), known),
    secrets: createAttemptLimit('client-secret', clientBounds, counters, known),
    assertions: createAttemptLimit('assertion', assertionBounds, counters, known),
    codes: createAttemptLimit('code', codeBounds, counters, known),
    tokens: createAttemptLimit('access-token', tokenBounds, counters, known),
  };
}
