// `rolealerts timeline`: which dismissals end and which correction windows open and close, and what happens then.
import { systemClock } from '../lib/clock.ts';
import { lineColumns } from '../lib/output.ts';
import { defineCommand } from './command.ts';
import { readDeclared } from './declared.ts';
import { descriptions } from './descriptions.ts';
import type { Host } from './host.ts';
import { timelineOptions } from './options/timeline-options.ts';
import { inFormat } from './report/in-format.ts';
import { timelineJson } from './report/timeline-json.ts';
import { timelineText } from './report/timeline-text.ts';
import { type Timeline, timelineOf } from './report/timeline.ts';

type Format = (typeof timelineOptions.output)['fallback'];

const dayMs = 86_400_000;

export const timelineCommand = defineCommand({
  name: 'timeline',
  description: descriptions.timeline,
  more: 'Reads policies and connections with your kubeconfig, or from files. Times are in UTC.',
  examples: [
    'rolealerts timeline -A',
    'rolealerts timeline -n payments --days 7 -o wide',
    'rolealerts timeline -f policies/',
    'rolealerts timeline -A -o json | jq \'.entries[] | select(.kind == "DismissalEnds")\'',
  ],
  options: timelineOptions,
  async run({ days, output, ...values }, host) {
    const { policies, connections } = await readDeclared(values, host);
    const nowMs = systemClock.now();
    const timeline = timelineOf({ policies, connections, nowMs, untilMs: nowMs + days * dayMs });
    host.out.write(render(timeline, output, host));
    return 0;
  },
});

function render(timeline: Timeline, format: Format, { out }: Host): string {
  const text = () => timelineText(timeline, { columns: lineColumns(out), isWide: format === 'wide' });
  return inFormat(format, () => timelineJson(timeline), text);
}
