// The fates of a request in the network: whether the host sees it, and what the process receives.
import { expect, it } from 'vitest';

import { isCoded } from '../../../src/lib/errors.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { createKubeTransport } from '../../../src/operator/kube/transport.ts';
import { SimNetwork } from './network.ts';
import { SimProcess } from './sim-process.ts';
import type { Fate } from './types.ts';
import { VirtualTime } from './virtual-time.ts';

const origin = 'https://host.sim';
const other = { status: 503, body: '{}' };

interface Outcome {
  readonly seen: number;
  /** The status, or the code of the error and the reason in it. */
  readonly got: string;
  /** In whole seconds. */
  readonly tookS: number;
}

async function tryFate(fate: Fate, act: (world: World) => void = () => undefined): Promise<Outcome> {
  const world = openWorld(fate);
  const { time, transport } = world;
  const call = transport.send({ verb: 'get', path: '/x', deadlineMs: 30_000 }).then(
    ({ status, body }) => ({ got: `${status} ${body}`, endedMs: time.nowMs }),
    (error: unknown) => {
      const got = isCoded(error) ? `${error.code} ${error.reason ?? ''}`.trim() : String(error);
      return { got, endedMs: time.nowMs };
    },
  );
  time.schedule(500, () => act(world));
  await time.runUntil(60_000);
  const { got, endedMs } = await call;
  return { seen: world.seen(), got, tookS: Math.floor(endedMs / 1000) };
}

type World = ReturnType<typeof openWorld>;

function openWorld(fate: Fate) {
  const time = new VirtualTime();
  const process = new SimProcess('client', time);
  const network = new SimNetwork({ time, random: seededRandom(1), fateOf: () => fate });
  let seen = 0;
  network.addHost(origin, {
    handle() {
      seen++;
      return { status: 200, body: '"answer"' };
    },
  });
  const dispatcher = network.openDispatcher(process, origin);
  const connection = {
    origin,
    basePath: '',
    requests: dispatcher,
    watches: dispatcher,
    headers: async () => ({}),
    forgetCredentials: () => undefined,
    close: () => dispatcher.destroy(),
  };
  const transport = createKubeTransport({ connection, clock: process.clock });
  return { time, process, network, transport, seen: () => seen };
}

const cases: [string, Fate, Outcome][] = [
  ['delivered', { kind: 'deliver' }, { seen: 1, got: '200 "answer"', tookS: 0 }],
  ['delivered late', { kind: 'deliver', delayMs: 5000 }, { seen: 1, got: '200 "answer"', tookS: 5 }],
  ['answered late', { kind: 'deliver', answerDelayMs: 5000 }, { seen: 1, got: '200 "answer"', tookS: 5 }],
  ['answered after the deadline', { kind: 'deliver', answerDelayMs: 40_000 }, gone(1, 'Deadline', 30)],
  ['refused', { kind: 'refuse' }, gone(0)],
  ['of an unknown name', { kind: 'name-not-found' }, gone(0)],
  ['of a bad certificate', { kind: 'tls-failed' }, gone(0)],
  ['reset', { kind: 'reset' }, gone(0)],
  ['done, and its response lost', { kind: 'lose-answer' }, gone(1)],
  ['swallowed', { kind: 'black-hole' }, gone(0, 'Deadline', 30)],
  ['done, and never answered', { kind: 'half-open' }, gone(1, 'Deadline', 30)],
  ['answered by a proxy', { kind: 'replace', answer: other }, { seen: 0, got: '503 {}', tookS: 0 }],
  ['done, and answered by a proxy', { kind: 'instead', answer: other }, { seen: 1, got: '503 {}', tookS: 0 }],
  ['cut in the body', { kind: 'cut-body', afterBytes: 3 }, gone(1)],
  [
    'answered in drops',
    { kind: 'slow-body', chunkBytes: 2, everyMs: 1000 },
    { seen: 1, got: '200 "answer"', tookS: 4 },
  ],
];

function gone(seen: number, reason = '', tookS = 0): Outcome {
  return { seen, got: `kube-unreachable ${reason}`.trim(), tookS };
}

it.each(cases)('a request is %s', async (_, fate, wanted) => {
  expect(await tryFate(fate)).toEqual(wanted);
});

it.each<[string, (world: World) => void, Outcome]>([
  ['breaks', ({ network }) => network.breakAll(origin), gone(1)],
  ['falls silent', ({ network }) => network.silenceAll(origin), gone(1, 'Deadline', 30)],
])('a connection %s while the response is on its way', async (_, act, wanted) => {
  expect(await tryFate({ kind: 'deliver', answerDelayMs: 5000 }, act)).toEqual(wanted);
});

it('reaches a frozen process when it continues, after the timers that were due before', async () => {
  const outcome = await tryFate({ kind: 'deliver', answerDelayMs: 35_000 }, ({ process, time }) => {
    process.freeze();
    time.schedule(40_000, () => process.thaw());
  });
  expect(outcome).toEqual(gone(1, 'Deadline', 40));
});

it('does not reach a process that was killed, and leaves nothing open', async () => {
  const { time, process, network, transport, seen } = openWorld({ kind: 'deliver', answerDelayMs: 5000 });
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  transport.send({ verb: 'get', path: '/x' }).then(settle, settle);
  time.schedule(500, () => process.kill());
  await time.runUntil(60_000);
  expect([seen(), isSettled, network.openExchanges(process)]).toEqual([1, false, 0]);
});
