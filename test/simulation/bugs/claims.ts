// Bugs about claims: which policy owns an alert that several connections reach.
import type { DeliberateBug } from '../bugs.ts';

export const claimsBugs: readonly DeliberateBug[] = [
  {
    name: 'a URL alone makes a neighbour',
    story: 'a neighbour without a credential',
    find: "  return claim.input.standing === 'Proven' && isInForce(claim);",
    replace: '  return isInForce(claim);',
    behind: [
      {
        find: "input.isOwn || (input.standing !== 'Refused' && isEnforced(input))",
        replace: 'input.isOwn || isEnforced(input)',
      },
    ],
  },
  {
    name: 'the first list of others is not waited for',
    story: 'a neighbour that is heard late',
    find: 'awaited: isHearing(input.waits, input.nowMs) ? row.awaited : undefined',
    replace: 'awaited: undefined',
  },
  {
    name: 'a hostile neighbour is waited for without end',
    story: 'a neighbour that is never heard',
    find: 'return claimsSinceMs === undefined || nowMs - claimsSinceMs < hearingMs;',
    replace: 'return true;',
  },
  {
    name: 'a credential that is gone ends no claim',
    story: 'a neighbour loses its credential',
    find: "    for (const scope of ended) this.#set(scope, 'Ended');",
    replace: '',
  },
  {
    name: 'a new credential inherits what the old one proved',
    story: 'a neighbour logs in another way',
    find: `if (isSameJson(identity, this.#identity)) return;
    this.#identity = identity;
    this.#scopes.clear();`,
    replace: `if (this.#identity !== undefined) return;
    this.#identity = identity;
    this.#scopes.clear();`,
  },
  {
    name: 'no policy corrects for an idle owner',
    story: 'an owner that may not correct',
    find: 'return sinceMs !== undefined && nowMs - sinceMs >= ownerTurnMs;',
    replace: 'return false;',
  },
  {
    name: 'the others are not woken by a correction',
    story: 'an alert that another connection corrects',
    find: '  if (corrections.length > 0) context.deps.neighbours.wakeOthers(context.ref);',
    replace: '',
  },
  {
    name: 'let an explicit dismissal beat a guard of another connection',
    story: 'a guard next door',
    find: 'return sideRank(a.want) - sideRank(b.want);',
    replace:
      'return sourceRank(a.want) - sourceRank(b.want) || sideRank(a.want) - sideRank(b.want) || byAge(a.input, b.input);',
    names: 'sourceRank(a.want) - sourceRank(b.want) || sideRank(a.want) - sideRank(b.want) || byAge(a.input, b.input)',
  },
  {
    name: 'take every spelling of an endpoint for another one',
    story: 'a guard next door',
    find: 'return `${canonicalURL(baseURL)} ${providerNamespace.toLowerCase()}`;',
    replace: `void canonicalURL;
  return \`\${baseURL}\\n\${providerNamespace}\`;`,
  },
];
