// Bugs of this kind: who has a say over an alert of a service that several connections reach.
import type { DeliberateBug } from '../bugs.ts';

export const claimsBugs: readonly DeliberateBug[] = [
  {
    name: `a URL alone makes a neighbour
File: src/plan/claims.ts
Snippet: \`  return claim.input.standing === 'Proven' && isSpoken(claim);\`
Replacement: \`  return isSpoken(claim);\`
Situation: a second connection to the same endpoint without a Secret (or with a wrong token) whose Enforce policy declares the alert Active: the team's dismissal never takes effect (Conflict for ever). With an Inactive policy: the team's alert stays inactive after its own policy or grant is gone.

## the first list of others is not waited for
File: src/plan/plan.ts
Snippet: \`awaited: isHearing(input.waits, input.nowMs) ? row.awaited : undefined,\`
Replacement: \`awaited: undefined,\`
Situation: after a start (or a new connection) the guard's connection is a little slower (unreachable for seconds, budget): the dismissal of the other connection deactivates the alert that a guard with a valid credential keeps active.

## a hostile neighbour is waited for without end
File: src/plan/waits.ts
Snippet: \`  return claimsSinceMs === undefined || nowMs - claimsSinceMs < hearingMs;\`
Replacement: \`  return true;\`
Situation: a connection to the same endpoint that never gets a list through (429 with a long Retry-After, requestsPerHour 1) with an Active policy: dismissals of all others are Held for ever.

## a credential that is gone ends no claim
File: src/controller/standings.ts
Snippet: \`    for (const scope of ended) this.#scopes.set(scope, 'Ended');\`
Replacement: \`\`
Situation: a neighbour with a valid credential lists the scope, then its Secret is deleted (or unlabelled, or answered 401): its Active policy still vetoes, its Inactive policy still keeps alerts of another ledger inactive.

## a new credential inherits what the old one proved
File: src/controller/standings.ts
Snippet: \`    if (isSameJson(identity, this.#identity)) return;\`
Replacement: \`    if (this.#identity !== undefined) return;\`
Situation: the auth of a neighbour's connection is changed to a Secret that is never readable within the service's outage: it goes on having a say.

## nobody corrects for an owner that does not
File: src/plan/waits.ts
Snippet: \`  return sinceMs !== undefined && nowMs - sinceMs >= ownerTurnMs;\`
Replacement: \`  return false;\`
Situation: two connections, both with an Active policy on the scope, the older one's PATCHes are answered 403 (or its budget is used up for an hour): the alert stays inactive although the younger one could activate it. And: an alert of our ledger stays inactive although a proven guard of another connection wants it active and cannot PATCH.

## the others are not woken by a correction`,
    file: 'src/controller/pass.ts',
    find: '  if (seen.corrections.length > 0) tools.neighbours.wakeOthers(ref);',
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
