// `describe` with a database of its own in the PostgreSQL of the tier `database`, since tests count and end the connections to theirs.
import { describe, inject, it } from 'vitest';

import { newDatabase, type PostgresAccess } from './postgres.ts';

/** Skipped with the reason when there is none. */
// oxlint-disable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests -- a describe of our own, not a test: title and body are its caller's
export function describeWithPostgres(name: string, body: (postgres: PostgresAccess) => void): void {
  const provided = inject('postgres');
  if ('whyNot' in provided) describe(name, () => it.skip(provided.whyNot, () => undefined));
  else describe(name, async () => body(await newDatabase(provided)));
}
// oxlint-enable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests
