// The demo's story, the same for a live table and unattended: the samples converge, an alert is turned off behind the
// operator's back and repaired, a dismissal is outgrown by a new incident. Every step waits for what it promises.
import { request } from 'undici';

import { type Clock, sleep } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { differences } from '../local/demo/compare.ts';
import {
  attacked,
  demoIncidents,
  type Expectation,
  knownIncidents,
  newIncident,
  outgrown,
  type Sample,
  samples,
} from '../local/demo/samples.ts';
import type { Stage } from './demo-stage.ts';

/** How the story ended: with the differences that were still there at the deadline, or with none. */
export type StoryEnd = readonly string[];

const convergeWithinMs = 60_000;
const lookEveryMs = 200;

/** Tells each step through `say` before it happens. Ends early, without differences, when `signal` aborts. */
export async function playStory(
  stage: Stage,
  clock: Clock,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<StoryEnd> {
  say(`${samples.length} sample policies are applied; waiting until each is as it should be …`);
  const first = await settle(stage, clock, ({ before }) => before, signal);
  if (first.length > 0 || signal.aborted) return first;
  const target = sampleNamed(attacked);
  say(
    `somebody turns ${target.alert} of ${attacked} off behind the operator's back (a PATCH with a token of their own) …`,
  );
  await turnOff(stage, target);
  const repaired = await settle(stage, clock, (sample) => (sample === target ? sample.after : sample.before), signal);
  if (repaired.length > 0 || signal.aborted) return repaired;
  say('… the operator saw it, turned it on again, and saw it on: repaired and verified');
  say(`a scan finds a third incident for ${outgrown}, whose dismissal names two …`);
  addIncident(stage, sampleNamed(outgrown));
  const end = await settle(stage, clock, ({ after }) => after, signal);
  if (end.length === 0 && !signal.aborted) say('… its dismissal holds no longer, so the alert is active again');
  return end;
}

/** Waits until every sample is as expected; resolves with what still differs at the deadline. */
async function settle(
  stage: Stage,
  clock: Clock,
  expectationOf: (sample: Sample) => Expectation,
  signal: AbortSignal,
): Promise<StoryEnd> {
  const deadlineMs = clock.monotonic() + convergeWithinMs;
  for (;;) {
    const found = samples.flatMap((sample) => differences(sample, expectationOf(sample), seenOf(stage, sample)));
    if (found.length === 0 || clock.monotonic() >= deadlineMs || signal.aborted) return found;
    await sleep(clock, lookEveryMs, signal);
  }
}

function seenOf(stage: Stage, { name, scope, alert }: Sample) {
  const properties = stage.service.alerts.readAlert(scope, alert)?.['properties'];
  const isActive = (properties as { readonly isActive?: boolean } | undefined)?.isActive;
  return { policy: stage.policy(name), isActive };
}

function sampleNamed(name: string): Sample {
  const sample = samples.find((candidate) => candidate.name === name);
  if (!sample) throw new OperatorError('local', `The demo has no sample ${name}.`);
  return sample;
}

/** The address of one alert (specification 4.2). */
export function alertURL(stage: Stage, { scope, alert }: Sample): string {
  return `${stage.service.url}/${scope}/providers/Vendor.Authorization/roleManagementAlerts/${alert}?api-version=2022-08-01-preview`;
}

export const turnOffBody = '{"properties":{"isActive":false}}';

async function turnOff(stage: Stage, sample: Sample): Promise<void> {
  const { statusCode, body } = await request(alertURL(stage, sample), {
    method: 'PATCH',
    headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' },
    body: turnOffBody,
  });
  await body.dump();
  if (statusCode !== 204) throw new OperatorError('local', `The service answered the attack with ${statusCode}.`);
}

function addIncident(stage: Stage, { scope, alert }: Sample): void {
  stage.service.alerts.replaceIncidents(scope, alert, demoIncidents([...knownIncidents, newIncident], alert));
}
