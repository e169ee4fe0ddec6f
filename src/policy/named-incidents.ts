// Whether the incidents that a dismissal names include every live one. Any tenant may have thousands of dismissals of an alert, and every
// plan asks for each of them: so what has to be derived of an object is derived once, because neither changes.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Incident } from '../alerts/types.ts';

/** Each id once. */
const namedIds = new WeakMap<readonly string[], readonly string[]>();
const liveIds = new WeakMap<readonly Incident[], ReadonlySet<string>>();

/** `named`: ids in any case, at least one character each; so an incident without an id is never among them. */
export function namesEvery(named: readonly string[], incidents: readonly Incident[]): boolean {
  const live = liveIds.get(incidents) ?? rememberLive(incidents);
  if (live.size === 0) return true;
  const ids = namedIds.get(named) ?? rememberNamed(named);
  if (ids.length < live.size) return false;
  let left = live.size;
  for (const id of ids) {
    if (live.has(id)) left -= 1;
    if (left === 0) return true;
  }
  return false;
}

function rememberNamed(named: readonly string[]): readonly string[] {
  const ids = [...new Set(named.map(canonicalName))];
  // Most ids are in lower case already: then nothing is kept twice.
  const kept = named.length === ids.length && named.every((id, index) => id === ids[index]) ? named : ids;
  namedIds.set(named, kept);
  return kept;
}

function rememberLive(incidents: readonly Incident[]): ReadonlySet<string> {
  const ids = new Set(incidents.map(({ id }) => canonicalName(id)));
  liveIds.set(incidents, ids);
  return ids;
}
