// Names that connections of several teams resolve at once, with a system that resolves two at a time.
import type { LookupFunction } from 'node:net';

import { expect, test } from 'vitest';

import { NameLookups } from '../../../../src/operator/alert-client/name-lookups.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const unansweredMs = 10_000;
const answeredMs = 20;

/** Names that begin with `dead` have no server that answers. */
class System {
  readonly clock = new ManualClock();
  readonly lookups = new NameLookups(this.clock, (...query) => this.#ask(...query));
  /** The names that the system was asked for. */
  readonly asked: string[] = [];
  /** `NAME CODE|ADDRESS MILLISECONDS` of every answer. */
  readonly answers: string[] = [];
  readonly #waiting: (() => void)[] = [];
  #free = 2;

  ask(owner: string, ...names: readonly string[]): void {
    const sinceMs = this.clock.monotonic();
    for (const name of names) {
      this.lookups.of(owner)(name, { all: true }, (error, addresses) => {
        const [first] = addresses;
        const found = error?.code ?? (typeof first === 'object' ? first.address : '');
        this.answers.push(`${name} ${found} ${this.clock.monotonic() - sinceMs}`);
      });
    }
  }

  #ask(...[name, , callback]: Parameters<LookupFunction>): void {
    this.asked.push(name);
    const isDead = name.startsWith('dead');
    this.#waiting.push(() => {
      this.#free -= 1;
      this.clock.setTimer(isDead ? unansweredMs : answeredMs, () => {
        this.#free += 1;
        this.#start();
        if (isDead) callback(Object.assign(new Error(name), { code: 'EAI_AGAIN' }), []);
        else callback(null, [{ address: '8.8.8.8', family: 4 }]);
      });
    });
    this.#start();
  }

  #start(): void {
    while (this.#free > 0) {
      const next = this.#waiting.shift();
      if (!next) return;
      next();
    }
  }
}

const dead = Array.from({ length: 40 }, (_, index) => `dead-${index}`);

test('many names of one team that no server resolves are dropped once no request waits for them any more', async () => {
  const system = new System();
  system.ask('team-b', ...dead);
  await system.clock.advance(unansweredMs);
  expect(system.asked).toEqual(['dead-0']);
  expect(system.answers).toHaveLength(40);
  system.ask('team-b', 'good');
  await system.clock.advance(answeredMs);
  expect(system.answers.at(-1)).toBe('good 8.8.8.8 20');
});

test('two dead names after each other delay only the names of their own team', async () => {
  const system = new System();
  system.ask('team-b', 'dead-1', 'good-b');
  await system.clock.advance(5000);
  system.ask('team-b', 'dead-2');
  system.ask('team-a', 'good-a');
  await system.clock.advance(answeredMs);
  expect(system.answers).toEqual(['good-a 8.8.8.8 20']);
  await system.clock.advance(unansweredMs);
  expect(system.answers.slice(1).sort()).toEqual(['dead-1 EAI_AGAIN 10000', 'good-b EAI_AGAIN 10000']);
  expect(system.asked).toEqual(['dead-1', 'good-a', 'dead-2']);
});

test('the sockets of a connection share one lookup', async () => {
  const system = new System();
  system.ask('team-a', 'good', 'good', 'good');
  await system.clock.advance(answeredMs);
  expect(system.asked).toEqual(['good']);
  expect(system.answers).toEqual(['good 8.8.8.8 20', 'good 8.8.8.8 20', 'good 8.8.8.8 20']);
  system.ask('team-a', 'good');
  await system.clock.advance(answeredMs);
  expect(system.asked).toEqual(['good', 'good']);
});
