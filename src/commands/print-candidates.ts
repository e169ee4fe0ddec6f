// The hidden command that the completion scripts call. It prints no error: the shell would show it in the middle of the command line.
import { cleanText } from '../lib/clean-text.ts';
import { systemClock } from '../lib/clock.ts';
import { arrayOf, isString, objectOf } from '../lib/json-shape.ts';
import { within } from '../lib/within.ts';
import { policyResource } from '../operator/kube/custom-resources.ts';
import { collectionPath } from '../operator/kube/resource.ts';
import type { CommandSpec } from './command.ts';
import { complete } from './complete.ts';
import type { Host } from './host.ts';
import { type ViewerValues, withViewer } from './viewer.ts';

/** A person waits for the completion. */
const clusterDeadlineMs = 1000;

/** `words`: behind the command's name. Never rejects. */
export async function printCandidates(
  specs: readonly CommandSpec[],
  words: readonly string[],
  host: Host,
): Promise<void> {
  const { candidates, policiesOf } = complete(specs, words);
  const names = policiesOf
    ? await policyNames(policiesOf, { ...host, err: { ...host.err, write: () => undefined } })
    : [];
  const current = words.at(-1) ?? '';
  const all = [...candidates, ...names.filter((name) => name.startsWith(current))];
  host.out.write(all.map((each) => `${each}\n`).join(''));
}

async function policyNames(place: ViewerValues, host: Host): Promise<readonly string[]> {
  try {
    return await withViewer(place, host, async ({ transport, namespace, signal }) => {
      const path = collectionPath(policyResource, namespace);
      const request = transport.request<unknown>({ verb: 'list', path, answer: 'metadata', signal });
      const list = await within(systemClock, clusterDeadlineMs, request);
      if (list === 'late') return [];
      const names = arrayOf(objectOf(list)['items']).map((item) => objectOf(objectOf(item)['metadata'])['name']);
      return [...new Set(names.filter(isString).map((name) => cleanText(name)))].sort();
    });
  } catch {
    return [];
  }
}
