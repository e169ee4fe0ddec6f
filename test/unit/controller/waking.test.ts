// Which connections reconcile a scope because of what another one found there, and how soon.
import { describe, expect, test } from 'vitest';

import type { ConnectionRuntime } from '../../../src/controller/connection-runtime.ts';
import { Neighbours } from '../../../src/controller/neighbours.ts';
import { PolicyIndex } from '../../../src/controller/policy-index.ts';
import { Standings } from '../../../src/controller/standings.ts';
import type { CodedError } from '../../../src/lib/errors.ts';
import { newScopeState, type ScopeEvent, type ScopeState, stepScope } from '../../../src/plan/scope-state.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';
import { connection } from '../../support/builders/objects.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';
import { neighbour } from '../../support/rigs/neighbours-world.ts';

const [ours, theirs] = ['team/prod', 'neighbour/prod'];
const objects = { [ours]: connection(), [theirs]: neighbour() };
const doubtMs = 300_000;
const failure = (code: ErrorCode) => errorOf(code, 'made to fail');

/** What is at stake for a connection at a scope. */
type Stake = 'a policy' | 'a policy that waits' | 'an entry' | 'a policy and an entry' | 'nothing';

class Meeting {
  readonly clock = new ManualClock();
  readonly policyIndex = new PolicyIndex();
  /** `connection scope urgency` with the delay, in the order in which they were asked for. */
  readonly woken: string[] = [];
  readonly runtimes = new Map<string, ConnectionRuntime>();
  readonly neighbours: Neighbours;
  readonly #entries = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly failing = new Set<string>();

  constructor() {
    this.neighbours = new Neighbours({
      policyIndex: this.policyIndex,
      clock: this.clock,
      runtimeOf: (key) => this.runtimes.get(key),
      scopesOf: () => new Set(['a', 'b', 'c']),
    });
  }

  join(key: string, stakes: Record<string, Stake> = { a: 'a policy', b: 'a policy', c: 'a policy' }): this {
    const object = objects[key] ?? connection();
    this.policyIndex.setConnection(object);
    const standings = new Standings(this.clock);
    standings.renew(object);
    const states = new Map<string, ScopeState>();
    const state = (scope: string) => states.get(scope) ?? newScopeState(this.clock.monotonic());
    const step = (scope: string, event: ScopeEvent) => void states.set(scope, stepScope(state(scope), event));
    const add = (scope: string, urgency: string, delayMs = 0) =>
      this.woken.push(`${key} ${scope} ${urgency} ${delayMs}`);
    const runtime = {
      key,
      standings,
      state,
      step,
      workQueue: { add },
      breaker: { state: 'Closed' },
      setDoubtTimer: () => undefined,
      isFailing: (scope: string) => this.failing.has(scope),
      isWaiting: (scope: string) => this.#waiting.has(`${key} ${scope}`),
      statusWriter: {
        scopes: () =>
          new Set([...this.#entries].filter((each) => each.startsWith(key)).map((each) => each.slice(key.length + 1))),
        hasEntry: (scope: string) => this.#entries.has(`${key} ${scope}`),
      },
    };
    this.runtimes.set(key, runtime as unknown as ConnectionRuntime);
    for (const [scope, stake] of Object.entries(stakes)) this.#stake(key, scope, stake);
    return this;
  }

  #stake(key: string, scope: string, stake: Stake): void {
    if (stake.includes('policy')) this.policyIndex.setPolicy(`${key}-${scope}`, { connection: key, scope });
    if (stake.includes('entry')) {
      this.#entries.add(`${key} ${scope}`);
      this.policyIndex.setDismissals({ connection: key, scope }, true);
    }
    if (stake.includes('waits')) this.#waiting.add(`${key} ${scope}`);
  }

  /** A list through our connection ended. Returns who reconciles because of it. */
  listed(scope: string, error?: CodedError): string[] {
    this.woken.length = 0;
    const runtime = this.runtimes.get(ours);
    if (runtime) this.neighbours.note(runtime, connection(), scope, error);
    return [...this.woken];
  }
}

describe('the first whole list of a scope', () => {
  test.each<[Stake, string[]]>([
    ['a policy that waits', ['neighbour/prod a resync 0']],
    ['a policy and an entry', ['neighbour/prod a resync 0']],
    ['an entry', ['neighbour/prod a resync 0']],
    ['a policy', []],
    ['nothing', []],
  ])('has another connection reconcile it that has %s there: %j', (stake, woken) => {
    expect(new Meeting().join(ours).join(theirs, { a: stake }).listed('a')).toEqual(woken);
  });

  test('wakes no connection a second time', () => {
    const meeting = new Meeting().join(ours).join(theirs, { a: 'a policy that waits' });
    meeting.listed('a');
    expect(meeting.listed('a')).toEqual([]);
  });
});

describe('a claim that ends', () => {
  test.each<[Stake, string[]]>([
    ['a policy', ['neighbour/prod a resync 0']],
    ['an entry', ['neighbour/prod a resync 0']],
    ['nothing', []],
  ])('has another connection reconcile the scope that has %s there: %j', (stake, woken) => {
    const meeting = new Meeting().join(ours).join(theirs, { a: stake });
    meeting.listed('a');
    meeting.clock.jump(60_000);
    expect(meeting.listed('a', failure('scope-forbidden'))).toEqual(woken);
  });

  test('has a connection reconcile the scope every five seconds at most', () => {
    const meeting = new Meeting().join(ours).join(theirs, { a: 'a policy' });
    const end = (atMs: number) => {
      meeting.clock.jump(atMs - meeting.clock.monotonic());
      meeting.listed('a');
      return meeting.listed('a', failure('credential-missing'));
    };
    expect([0, 1000, 6000, 20_000].map(end)).toEqual([
      ['neighbour/prod a resync 0'],
      ['neighbour/prod a resync 4000'],
      ['neighbour/prod a resync 4000'],
      ['neighbour/prod a resync 0'],
    ]);
  });
});

describe('after a 401 of one scope while others are proven', () => {
  function inDoubt(): Meeting {
    const meeting = new Meeting().join(ours).join(theirs);
    meeting.listed('a');
    meeting.listed('b');
    meeting.listed('c', failure('service-denied'));
    meeting.woken.length = 0;
    return meeting;
  }

  test('the claims on the others end five minutes later, without another list', async () => {
    const meeting = inDoubt();
    await meeting.clock.advance(doubtMs - 1);
    expect(meeting.woken).toEqual([]);
    await meeting.clock.advance(1);
    expect(meeting.woken).toEqual(['neighbour/prod a resync 0', 'neighbour/prod b resync 0']);
  });

  test('one timer ends them, however often a list fails meanwhile', async () => {
    const meeting = inDoubt();
    for (let times = 0; times < 3; times++) meeting.listed('a', failure('service-unreachable'));
    expect(meeting.clock.pendingTimers).toBe(1);
  });

  test('they have ended by then, although the process was stopped meanwhile and a list succeeds first', () => {
    const meeting = inDoubt();
    meeting.clock.jump(doubtMs);
    expect(meeting.listed('c')).toEqual([
      'neighbour/prod a resync 0',
      'neighbour/prod b resync 0',
      // What was proven with the credential that was in doubt.
      'team/prod a resync 0',
      'team/prod b resync 0',
    ]);
  });

  test('a list that succeeds in time ends the doubt', async () => {
    const meeting = inDoubt();
    meeting.listed('a');
    await meeting.clock.advance(2 * doubtMs);
    expect(meeting.woken).toEqual([]);
  });
});

describe('the first whole list with a credential that was gone', () => {
  const afterThat = (meeting: Meeting) => {
    meeting.listed('a');
    meeting.listed('b');
    meeting.listed('a', failure('credential-missing'));
    meeting.clock.jump(60_000);
    return meeting.listed('a');
  };

  test('has the other scopes listed again', () => {
    expect(afterThat(new Meeting().join(ours).join(theirs, {}))).toEqual(['team/prod b resync 0']);
  });

  test('has nothing listed again where no other connection reaches the service', () => {
    expect(afterThat(new Meeting().join(ours))).toEqual([]);
  });
});

describe('a policy that comes, goes or changes', () => {
  test('has every other connection with a policy there reconcile the scope, where it competes', () => {
    const meeting = new Meeting().join(ours).join(theirs);
    meeting.listed('a');
    meeting.woken.length = 0;
    meeting.neighbours.policyChanged({ connection: ours, scope: 'a' });
    expect(meeting.woken).toEqual(['neighbour/prod a resync 0']);
  });

  test.each<[Stake, string[]]>([
    ['a policy that waits', ['neighbour/prod a resync 0']],
    ['a policy', []],
  ])('has another connection reconcile it that has %s there, where it was not heard: %j', (stake, woken) => {
    const meeting = new Meeting().join(ours).join(theirs, { a: stake });
    meeting.neighbours.policyChanged({ connection: ours, scope: 'a' });
    expect(meeting.woken).toEqual(woken);
  });
});

describe('a connection', () => {
  test('that has no runtime yet was not heard, and is not known to be unable to act', () => {
    const { neighbours } = new Meeting();
    const ref = { connection: ours, scope: 'a' };
    expect([neighbours.standingOf(ref), neighbours.canAct(ref)]).toEqual(['Unheard', true]);
  });

  test.each([
    [true, true, false],
    [true, false, true],
    [false, true, false],
    [false, false, false],
  ])(
    'whose circuit breaker is closed: %s, and whose scope fails: %s, can act there: %s',
    (isClosed, isFailing, canAct) => {
      const meeting = new Meeting().join(ours);
      Object.assign(meeting.runtimes.get(ours) ?? {}, { breaker: { state: isClosed ? 'Closed' : 'Open' } });
      if (isFailing) meeting.failing.add('a');
      expect(meeting.neighbours.canAct({ connection: ours, scope: 'a' })).toBe(canAct);
    },
  );

  test('that is known before it has a runtime is not woken', () => {
    const meeting = new Meeting().join(ours).join(theirs);
    meeting.runtimes.delete(theirs);
    meeting.neighbours.wakeOthers({ connection: ours, scope: 'a' });
    expect(meeting.woken).toEqual([]);
  });
});
