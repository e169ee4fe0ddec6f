// Bugs about claims: which policy owns an alert that several connections reach.
import type { DeliberateBug } from '../bugs.ts';

export const claimsBugs: readonly DeliberateBug[] = [
  {
    name: 'a URL alone makes a neighbour',
    trait: 'hasNeighbours',
    file: 'src/plan/claims.ts',
    find: "  return claim.input.standing === 'Proven' && isSpoken(claim);",
    replace: '  return isSpoken(claim);',
  },
  {
    name: 'the first list of others is not waited for',
    trait: 'hasNeighbours',
    file: 'src/plan/plan.ts',
    find: 'awaited: isHearing(input.waits, input.nowMs) ? row.awaited : undefined,',
    replace: 'awaited: undefined,',
  },
  {
    name: 'a hostile neighbour is waited for without end',
    trait: 'hasNeighbours',
    file: 'src/plan/waits.ts',
    find: 'return claimsSinceMs === undefined || nowMs - claimsSinceMs < hearingMs;',
    replace: 'return true;',
  },
  {
    name: 'a credential that is gone ends no claim',
    trait: 'hasNeighbours',
    file: 'src/controller/standings.ts',
    find: "    for (const scope of ended) this.#scopes.set(scope, 'Ended');",
    replace: '',
  },
  {
    name: 'a new credential inherits what the old one proved',
    trait: 'hasNeighbours',
    file: 'src/controller/standings.ts',
    find: '    if (isSameJson(identity, this.#identity)) return;',
    replace: '    if (this.#identity !== undefined) return;',
  },
  {
    name: 'nobody corrects for an owner that does not',
    trait: 'hasNeighbours',
    file: 'src/plan/waits.ts',
    find: 'return sinceMs !== undefined && nowMs - sinceMs >= ownerTurnMs;',
    replace: 'return false;',
  },
  {
    name: 'the others are not woken by a correction',
    trait: 'hasNeighbours',
    file: 'src/controller/carry-out.ts',
    find: '  if (corrections.length > 0) context.tools.neighbours.wakeOthers(context.ref);',
    replace: '',
  },
  {
    name: 'let an explicit dismissal beat a guard of another connection',
    trait: 'hasNeighbours',
    file: 'src/plan/claims.ts',
    find: 'return sideRank(a.want) - sideRank(b.want);',
    replace: 'return byPrecedence(a, b);',
  },
  {
    name: 'take every spelling of an endpoint for another one',
    trait: 'hasNeighbours',
    file: 'src/controller/catalog.ts',
    find: 'return `${canonicalURL(baseURL)}\\n${providerNamespace.toLowerCase()}`;',
    replace: `void canonicalURL;
  return \`\${baseURL}\\n\${providerNamespace}\`;`,
  },
];
