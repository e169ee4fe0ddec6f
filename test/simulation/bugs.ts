// Deliberate bugs, each a small change of the source that restores an old or a feared behaviour: the simulation has to find every
// one of them, or it proves nothing. `npm run simulate:bugs` makes them one by one in a copy; bugs.test.ts keeps them in step with
// the source.
import { readFile } from 'node:fs/promises';

import { credentialsBugs } from './bugs/credentials.ts';
import { grantsBugs } from './bugs/grants.ts';
import { ledgerBugs } from './bugs/ledger.ts';
import { reconcileBugs } from './bugs/reconcile.ts';
import { rulesBugs } from './bugs/rules.ts';
import { scopesBugs } from './bugs/scopes.ts';
import { sendingBugs } from './bugs/sending.ts';
import type { Traits } from './scenarios/traits.ts';

export interface DeliberateBug extends Edit {
  readonly name: string;
  /** The trait of the worlds in which it shows, so that the search covers only those. */
  readonly trait?: keyof Traits;
  /** The story of the directed seeds that find it, in the place of drawn worlds. */
  readonly story?: string;
  /** Further edits, which remove a second guard behind the first. */
  readonly behind?: readonly Edit[];
}

export interface Edit {
  /** Quotes the code, in whatever layout; no other place has it. */
  readonly find: string;
  readonly replace: string;
  /** The CRD that has it, instead of the sources. */
  readonly crd?: string;
}

export const deliberateBugs: readonly DeliberateBug[] = [
  ...scopesBugs,
  ...sendingBugs,
  ...ledgerBugs,
  ...credentialsBugs,
  ...rulesBugs,
  ...reconcileBugs,
  ...grantsBugs,
];

/** The seeds that found the bugs: `npm run simulate:bugs` tries them first, and the gate runs them without the bugs. */
export async function readBugSeeds(): Promise<Record<string, readonly number[]>> {
  return JSON.parse(await readFile(new URL('bug-seeds.json', import.meta.url), 'utf8')) as Record<
    string,
    readonly number[]
  >;
}

interface SeedsOfBugs {
  /** Of bugs with a story. */
  readonly directed: readonly number[];
  readonly drawn: readonly number[];
}

export async function seedsOfBugs(): Promise<SeedsOfBugs> {
  const known = await readBugSeeds();
  const seedsWhere = (hasStory: boolean) =>
    new Set(
      deliberateBugs.filter(({ story }) => (story !== undefined) === hasStory).flatMap(({ name }) => known[name] ?? []),
    );
  return { directed: [...seedsWhere(true)], drawn: [...seedsWhere(false)] };
}
