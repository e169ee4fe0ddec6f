// Bugs about one failing scope of a connection, and its effect on the others.
import type { DeliberateBug } from '../bugs.ts';

export const scopesBugs: readonly DeliberateBug[] = [
  {
    name: 'open the circuit for one scope',
    trait: 'failingScopes',
    file: 'src/controller/circuit-breaker.ts',
    find: 'const opens = next.unreached >= openThreshold && next.failing.size >= Math.min(openThreshold, scopes);',
    replace: `const opens = next.unreached >= openThreshold;
  void scopes;`,
    behind: [
      {
        file: 'src/controller/roster.ts',
        find: '    return best?.scope;',
        replace:
          "    return [...this.#entries].find(([, { ending }]) => ending !== undefined && ending !== 'listed' && ending !== 'answered')?.[0] ?? best?.scope;",
      },
    ],
  },
  {
    name: 'let one refused scope close the connection',
    trait: 'failingScopes',
    file: 'src/controller/circuit-breaker.ts',
    find: 'const isConfirmed = scopes <= 1 || (suspect !== undefined && (suspect !== scope || isTriedInVain));',
    replace: `const isConfirmed = scopes >= 0 || isTriedInVain;
  void suspect;`,
    behind: [
      {
        file: 'src/controller/roster.ts',
        find: '    return best?.scope;',
        replace:
          "    return [...this.#entries].find(([, { ending }]) => ending !== undefined && ending !== 'listed' && ending !== 'answered')?.[0] ?? best?.scope;",
      },
    ],
  },
  {
    name: 'retry a throttled scope first',
    story: 'a scope that is always throttled',
    file: 'src/controller/reconcile.ts',
    find: 'const hasHadItsTurn = roster.isBusy(ref.scope);',
    replace: 'const hasHadItsTurn = false;',
    behind: [
      {
        file: 'src/controller/key-queue.ts',
        find: '(a, b) => a.sinceMs - b.sinceMs || a.count - b.count',
        replace: '(a, b) => a.count - b.count',
      },
    ],
  },
  {
    name: 'let a throttled scope take all the time',
    story: 'a scope that is always throttled',
    file: 'src/controller/roster.ts',
    find: "    if (this.isAlone(scope, 'busy')) this.#throttled.add(scope);",
    replace: '',
  },
  {
    name: 'hold a scope without bringing it back',
    story: 'an outage that scopes wait for',
    file: 'src/controller/attempt.ts',
    find: "  if (failure.pace !== 'retry-after') runtime.roster.wait(ref.scope, deps.clock.monotonic());",
    replace: '',
  },
  {
    name: 'send a whole plan at once',
    trait: 'alerts',
    file: 'src/plan/batch.ts',
    find: 'const longestBatch = 16;',
    replace: 'const longestBatch = 10_000;',
    behind: [
      {
        file: 'src/plan/batch.ts',
        find: 'Math.floor(burst / (isUrgent ? 4 : 2)) - 2 * pages',
        replace: 'isUrgent || burst + pages > 0 ? longestBatch : 1',
      },
    ],
  },
  {
    name: 'let deactivations wait for the last activation',
    story: 'more activations than ever end',
    file: 'src/plan/batch.ts',
    find: 'const places = Math.max(limit - activations.length, Math.min(deactivations.length, shareOf(limit, round)));',
    replace: `const places = Math.max(limit - activations.length, 0);
  void deactivations;
  void shareOf;
  void round;`,
  },
];
