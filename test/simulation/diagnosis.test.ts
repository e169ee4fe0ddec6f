// Every failure of the tables is diagnosed from each source alone: it names the object, the cause and the next step. `kubectl get` and the
// metrics name the reason, whose section in the runbook has the next step.
import { readFile } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import { readColumns } from '../support/checks/kubectl-text.ts';
import { alertFailures } from './diagnosis/alert-failures.ts';
import { connectionFailures } from './diagnosis/connection-failures.ts';
import { createStage, type Failure, recordsOf } from './diagnosis/failure.ts';
import { operatorFailures } from './diagnosis/operator-failures.ts';
import { scopeFailures } from './diagnosis/scope-failures.ts';
import { logText, readSources, sourceNames, type Sources } from './diagnosis/sources.ts';
import { readResources } from './kube/resources.ts';
import type { World } from './world.ts';

const minuteMs = 60_000;
const resources = await readResources();
const columns = await readColumns();
const page = await readFile(new URL('../../deploy/runbook.md', import.meta.url), 'utf8');
const failures = [...connectionFailures, ...scopeFailures, ...alertFailures, ...operatorFailures];

/** What the sources show an hour after the failure, and what the second hour adds to them. */
interface Diagnosis {
  readonly sources: Sources;
  readonly later: { readonly statuses: number; readonly events: number; readonly lines: number };
}

async function diagnosed(failure: Failure): Promise<Diagnosis> {
  const stage = createStage(resources, failure);
  const { world } = stage;
  failure.before?.(stage);
  const replica = failure.hasNoOperator ? undefined : await world.startReplica();
  await world.time.runUntil(10 * minuteMs);
  failure.after?.(stage);
  await world.time.runUntil(70 * minuteMs);
  const sources = await readSources(world, columns);
  const before = counted(world);
  let statuses = 0;
  world.api.onWrite.push((_, { isStatus }) => void (statuses += isStatus ? 1 : 0));
  await world.time.runUntil(130 * minuteMs);
  const end = counted(world);
  await replica?.stop();
  return { sources, later: { statuses, events: end.events - before.events, lines: end.lines - before.lines } };
}

function counted(world: World): { readonly events: number; readonly lines: number } {
  return { events: world.api.store.list('events').length, lines: logText(world).length };
}

describe.each(failures.map((failure) => [failure.title, failure] as const))('when %s', (_, failure) => {
  let diagnosis: Promise<Diagnosis> | undefined;
  const seen = () => (diagnosis ??= diagnosed(failure));
  const speaking = sourceNames.filter((source) => failure.silent?.[source] === undefined);

  it.each(speaking)('%s alone shows it', async (source) => {
    const { sources } = await seen();
    const missing = recordsOf(failure, source).filter(
      (patterns) => !sources[source].some((record) => patterns.every((pattern) => pattern.test(record))),
    );
    expect(missing.map((patterns) => [patterns, sources[source]])).toEqual([]);
  });

  it('the runbook has the next step for its reason', () => {
    expect(adviceFor(failure.clue.reason)).toMatch(/\w{3}/);
  });

  it('the second hour repeats no event, writes no status and logs at most two lines a minute', async () => {
    const { statuses, events, lines } = (await seen()).later;
    expect(failure.isRestless === true ? [] : [statuses, events].filter((count) => count > 0)).toEqual([]);
    expect(lines).toBeLessThanOrEqual(125);
  });
});

it('at least twenty failures show in all of the sources', () => {
  expect(failures.filter(({ silent }) => silent === undefined).length).toBeGreaterThanOrEqual(20);
});

/** The next step in the section of a reason or an event: the end of the message that it quotes, otherwise the note below. */
function adviceFor(reason: string): string | undefined {
  const section = page.split(/^### /m).find((text) => text.startsWith(`${reason}\n`));
  const [, message = '', note] = /^> (.+)$(?:\n\n(.+)$)?/m.exec(section ?? '') ?? [];
  return /[.;] ([A-Z`].+)$/.exec(message)?.[1] ?? note;
}
