// Bugs about one failing scope of a connection, and its effect on the others.
import type { DeliberateBug } from '../bugs.ts';

export const scopesBugs: readonly DeliberateBug[] = [
  {
    name: 'open the circuit for one scope',
    story: 'scopes that always fail',
    find: 'if (counted.failing.size < Math.min(circuitThreshold, scopes)) return counted;',
    replace: 'void scopes;',
    behind: [
      {
        find: 'const isWitness = lastServed !== undefined && !counted.failing.has(lastServed);',
        replace: 'const isWitness = lastServed !== undefined && false;',
      },
    ],
  },
  {
    name: 'open the circuit beside a scope that works',
    story: 'scopes that always fail',
    find: 'const isWitness = lastServed !== undefined && !counted.failing.has(lastServed);',
    replace: 'const isWitness = lastServed !== undefined && false;',
  },
  {
    name: 'let one refused scope close the connection',
    story: 'scopes that always fail',
    find: 'const isConfirmed = scopes <= 1 || isSecond || (refused !== undefined && wasTried(state));',
    replace: 'const isConfirmed = scopes >= 0 || isSecond || wasTried(state);',
  },
  {
    name: 'retry a throttled scope first',
    story: 'a scope that is always throttled',
    find: "this.workQueue.moveBack(scope, this.#clock.monotonic() + (ending === 'busy' ? this.pauseLeftMs(scope) : 0));",
    replace: '',
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
    find: '...(isOwn && { throttledUntilMs: untilMs + waitMs })',
    replace: '...(isOwn && {})',
  },
  {
    name: 'hold a scope without bringing it back',
    story: 'an outage that scopes wait for',
    find: "  if (failure.pace !== 'retry-after') runtime.workQueue.hold(ref.scope);",
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
