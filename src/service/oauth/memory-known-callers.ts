// The callers that succeeded at an address since the start of the process, for an attempt limit without a database.
import { createRecentKeys } from '../../lib/recent-keys.ts';
import type { KnownCallers } from './known-callers.ts';

const remembered = 10_000;

export function createMemoryKnownCallers(): KnownCallers {
  return { ...createRecentKeys(remembered), refresh: () => undefined };
}
