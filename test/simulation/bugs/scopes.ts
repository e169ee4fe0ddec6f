// Bugs about one failing scope of a connection, and its effect on the others.
import type { DeliberateBug } from '../bugs.ts';

export const scopesBugs: readonly DeliberateBug[] = [
  {
    name: 'open the circuit for one scope',
    trait: 'failingScopes',
    find: 'const opens = next.unreached >= openThreshold && next.failing.size >= Math.min(openThreshold, scopes);',
    replace: `const opens = next.unreached >= openThreshold;
  void scopes;`,
    behind: [
      {
        find: `if (!isWanted(scope)) continue;
      const rank = triedMs > this.#roundBeganMs ? lastRank : trialRanks[ending ?? 'untried'];`,
        replace: `if (ending !== undefined && ending !== 'listed' && ending !== 'answered') return scope;
      if (!isWanted(scope)) continue;
      const rank = triedMs > this.#roundBeganMs ? lastRank : trialRanks[ending ?? 'untried'];`,
      },
    ],
  },
  {
    name: 'let one refused scope close the connection',
    trait: 'failingScopes',
    find: 'const isConfirmed = scopes <= 1 || (suspect !== undefined && (suspect !== scope || isTriedInVain));',
    replace: `const isConfirmed = scopes >= 0 || isTriedInVain;
  void suspect;`,
    behind: [
      {
        find: `if (!isWanted(scope)) continue;
      const rank = triedMs > this.#roundBeganMs ? lastRank : trialRanks[ending ?? 'untried'];`,
        replace: `if (ending !== undefined && ending !== 'listed' && ending !== 'answered') return scope;
      if (!isWanted(scope)) continue;
      const rank = triedMs > this.#roundBeganMs ? lastRank : trialRanks[ending ?? 'untried'];`,
      },
    ],
  },
  {
    name: 'retry a throttled scope first',
    story: 'a scope that is always throttled',
    find: `const hasHadItsTurn = roster.isBusy(ref.scope);
  roster.wait(ref.scope, monotonicMs + (hasHadItsTurn ? pauseMs : 0));`,
    replace: `const hasHadItsTurn = false;
  roster.wait(ref.scope, monotonicMs);`,
    behind: [
      {
        find: '(a, b) => a.sinceMs - b.sinceMs || a.count - b.count',
        replace: '(a, b) => a.count - b.count',
      },
    ],
  },
  {
    name: 'let a throttled scope take all the time',
    story: 'a scope that is always throttled',
    find: "    if (this.isAlone(scope, 'busy')) this.#throttled.add(scope);",
    replace: '',
  },
  {
    name: 'hold a scope without bringing it back',
    story: 'an outage that scopes wait for',
    find: "  if (failure.pace !== 'retry-after') runtime.roster.wait(ref.scope, deps.clock.monotonic());",
    replace: '',
  },
  {
    name: 'send a whole plan at once',
    trait: 'alerts',
    find: `const share = Math.floor(burst / (isUrgent ? 4 : 2)) - 2 * pages;
  return Math.min(longestBatch, Math.max(share, pages, 1));`,
    replace: 'return 10_000;',
  },
  {
    name: 'let deactivations wait for the last activation',
    story: 'more activations than ever end',
    find: 'const places = Math.max(limit - activations.length, Math.min(deactivations.length, shareOf(limit, round)));',
    replace: `const places = Math.max(limit - activations.length, 0);
  void deactivations;
  void shareOf;
  void round;`,
  },
];
