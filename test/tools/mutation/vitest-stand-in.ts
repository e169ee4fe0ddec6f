// The part of Vitest that the tests use, so that one process can run a case repeatedly: `describe`, `test` and the hooks only collect.
// `expect` is vitest's own.
Object.assign(globalThis, {
  __vitest_worker__: { config: { expect: {}, snapshotOptions: {} }, ctx: {}, rpc: {}, metaEnv: {}, environment: {} },
});
const vitest = await import('vitest');

type Work = (...args: unknown[]) => unknown;
type Hook = () => unknown;

interface Suite {
  readonly outer: Suite | undefined;
  readonly name: string;
  readonly before: Hook[];
  readonly after: Hook[];
}

export interface Case {
  readonly name: string;
  /** Rejects when the case fails, its hooks included. */
  readonly run: () => Promise<void>;
}

let collected: Case[] = [];
let suite: Suite = { outer: undefined, name: '', before: [], after: [] };
let finishers: Hook[] = [];

/** The cases of a file; `load` imports it. */
export async function collect(load: () => Promise<unknown>): Promise<Case[]> {
  collected = [];
  suite = { outer: undefined, name: '', before: [], after: [] };
  await load();
  return collected;
}

function addSuite(name: string, ...rest: unknown[]): void {
  const outer = suite;
  suite = { outer, name, before: [], after: [] };
  workIn(rest)();
  suite = outer;
}

function addCase(name: string, ...rest: unknown[]): void {
  const inner = suite;
  const names = [...suitesFrom(inner).map((each) => each.name), name].filter((each) => each !== '');
  collected.push({ name: names.join(' > '), run: () => runCase(inner, workIn(rest)) });
}

/** The function among the arguments: options may come before it, a timeout after it. */
function workIn(rest: readonly unknown[]): Work {
  return rest.find((each): each is Work => typeof each === 'function') ?? (() => undefined);
}

/** The outermost one first. */
function suitesFrom(inner: Suite | undefined): Suite[] {
  return inner ? [...suitesFrom(inner.outer), inner] : [];
}

async function runCase(inner: Suite, work: Work): Promise<void> {
  finishers = [];
  const suites = suitesFrom(inner);
  const failures: unknown[] = [];
  const attempt = async (hook: Hook) => {
    try {
      const undo = await hook();
      if (typeof undo === 'function') finishers.push(undo as Hook);
    } catch (error) {
      failures.push(error);
    }
  };
  for (const hook of suites.flatMap(({ before }) => before)) await attempt(hook);
  if (failures.length === 0) await attempt(async () => void (await work(context)));
  for (const hook of suites.toReversed().flatMap(({ after }) => after.toReversed())) await attempt(hook);
  for (const hook of finishers.toReversed()) await attempt(hook);
  if (failures.length > 0) throw failures[0];
}

function eachOf(add: (name: string, ...rest: unknown[]) => void) {
  return (rows: readonly unknown[]) =>
    (name: string, ...rest: unknown[]) => {
      for (const [index, row] of rows.entries()) {
        const args: unknown[] = Array.isArray(row) ? row : [row];
        const work = workIn(rest);
        add(`${titleOf(name, args[0])} (row ${index})`, () => work(...args));
      }
    };
}

/** An edit may change what a row holds, but not the name that its case is known by. */
function titleOf(name: string, first: unknown): string {
  return typeof first === 'string' ? name.replace('%s', () => first.slice(0, 100)) : name;
}

const real = vitest.expect;

/** Retries until the assertion holds, for at most ten seconds. */
function poll(ask: () => unknown): unknown {
  return new Proxy(
    {},
    {
      get:
        (_, matcher: string) =>
        async (...args: unknown[]) => {
          for (let triesLeft = 1000; ; triesLeft--) {
            try {
              const assertion = real(await ask()) as unknown as Record<string, (...args: unknown[]) => void>;
              assertion[matcher]?.(...args);
              return;
            } catch (error) {
              if (triesLeft === 0) throw error;
            }
            await new Promise((resolve) => setTimeout(resolve, 10));
          }
        },
    },
  );
}

/** As if `add` were skipped when the condition holds, or unless it does. */
const conditional = <T>(add: T) => ({
  skipIf: (condition: unknown) => (condition ? skip : add),
  runIf: (condition: unknown) => (condition ? add : skip),
});

const onFinished = (hook: Hook) => void finishers.push(hook);
const skip = () => undefined;

export const { vi } = vitest;
export const expect: object = Object.assign((value: unknown) => real(value), real, { poll });
export const describe: object = Object.assign(addSuite, { each: eachOf(addSuite), skip, ...conditional(addSuite) });
export const test: object = Object.assign(addCase, {
  each: eachOf(addCase),
  skip,
  concurrent: addCase,
  ...conditional(addCase),
});
export { test as it, onFinished as onTestFinished };
export const beforeEach = (hook: Hook): void => void suite.before.push(hook);
export const afterEach = (hook: Hook): void => void suite.after.push(hook);
/** A case may run on its own, so each gets what is made for all. */
export { beforeEach as beforeAll, afterEach as afterAll };
/** There is no control plane. */
export const inject = (): undefined => undefined;
const context = { onTestFinished: onFinished, expect, skip };
