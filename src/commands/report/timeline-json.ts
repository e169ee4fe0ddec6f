// The timeline as data for scripts. The shape is a contract: within a version members may be added, never renamed or removed.
import { formatTimestamp } from '../../lib/timestamp.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { TimelineChange } from './timeline-change.ts';
import type { Timeline } from './timeline.ts';

export function timelineJson({ fromMs, untilMs, entries, notes }: Timeline): object {
  return {
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'Timeline',
    from: formatTimestamp(fromMs),
    until: formatTimestamp(untilMs),
    entries: entries.map(entryJson),
    notes,
  };
}

function entryJson({ atMs, kind, object, effect, scope, alert, reason }: TimelineChange): object {
  return withoutUndefined({ time: formatTimestamp(atMs), kind, object, effect, scope, alert, reason });
}
