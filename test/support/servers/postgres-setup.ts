// One PostgreSQL for all tests of the tier `database`, each of which works in a schema of its own. Where it cannot run, those tests are
// skipped with the reason; in CI the run fails instead.
import type { TestProject } from 'vitest/node';

import { messageOf } from '../../../src/lib/errors.ts';
import { runsTier } from '../gate/tiers.ts';
import { fastSettings, startPostgres, type PostgresAccess } from './postgres.ts';

/** What tests learn of the server of their run. Plain data: it crosses a process boundary. */
export type ProvidedPostgres = PostgresAccess | { readonly whyNot: string };

declare module 'vitest' {
  // Merging with vitest's own interface is the documented way to type `provide` and `inject`.
  export interface ProvidedContext {
    postgres: ProvidedPostgres;
  }
}

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!runsTier(project, ['database'])) return undefined;
  try {
    const { port, password, ...postgres } = await startPostgres({ settings: fastSettings });
    project.provide('postgres', { port, password });
    return () => postgres.stop();
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    project.provide('postgres', { whyNot: messageOf(error) });
    return undefined;
  }
}
