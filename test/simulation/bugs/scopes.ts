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
    find: `this.workQueue.keys.moveBack(
      scope,
      this.#deps.clock.monotonic() + (endKind === 'busy' ? this.pauseLeftMs(scope) : 0),
    );`,
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
    find: `...(isAgain && {
      throttledUntilMs: untilMs + Math.max(waitMs, Math.min(backoffDelayMs(failures), longestLeaveMs)),
    })`,
    replace: '...(isAgain && {})',
  },
  {
    name: 'hold a scope without bringing it back',
    story: 'an outage that scopes wait for',
    find: "  if (failure.pace !== 'retry-after') runtime.workQueue.hold(ref.scope);",
    replace: '',
  },
  {
    name: 'send PATCHes whatever the rate limit',
    trait: 'alerts',
    find: `if (!prepaid) await rateLimiter.acquire(1, call.options);
    else if (!prepaid.use()) throw new StoppedError();`,
    replace: "if (call.operation === 'list' && !prepaid) await rateLimiter.acquire(1, call.options);",
  },
  {
    name: 'let no repetition of an activation wait longer',
    story: 'more activations than ever end',
    find: 'return lastMs + doublingMs(count, firstDelayMs, intervalMs);',
    replace: 'return lastMs + Math.min(firstDelayMs + 0 * count, intervalMs);',
  },
];
