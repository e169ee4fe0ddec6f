// The tier of a test file: the folder of test/ that it is in.
import type { TestProject } from 'vitest/node';

export const tierOf = (path: string): string => /\/test\/([^/]+)\//.exec(path)?.[1] ?? '';

/** Whether a file of one of these tiers was selected for this run. */
export function runsTier({ vitest }: TestProject, tiers: readonly string[]): boolean {
  return vitest.state.getPaths().some((path) => tiers.includes(tierOf(path)));
}
