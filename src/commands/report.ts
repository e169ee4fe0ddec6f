// `rolealerts report`: the fleet as one page in a file.
import { writeFile } from 'node:fs/promises';

import { systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';
import { readEvents } from './cluster/read-events.ts';
import { readFleet } from './cluster/read-fleet.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { reportOptions } from './options/report-options.ts';
import { reportPage } from './page/report-page.ts';
import { withViewer } from './viewer.ts';

export const reportCommand = defineCommand({
  name: 'report',
  description: descriptions.report,
  more: 'Reads policies, connections and events with your kubeconfig. The page has no script and loads nothing.',
  examples: ['rolealerts report -A --html fleet.html', 'rolealerts report -n payments --html - > payments.html'],
  options: reportOptions,
  async run({ html, ...values }, host) {
    if (html === undefined) throw new UsageError('--html is required: give a file, or - for standard output.');
    await withViewer(values, host, async (viewer) => {
      const [fleet, { events, note }] = await Promise.all([readFleet(viewer), readEvents(viewer)]);
      if (note !== undefined) viewer.note(note);
      const place = viewer.namespace === undefined ? 'all namespaces' : `namespace ${viewer.namespace}`;
      const page = reportPage({ ...fleet, nowMs: systemClock.now(), place, events, eventsNote: note });
      if (html === '-') host.out.write(page);
      else await writePage(html, page);
    });
    return 0;
  },
});

async function writePage(path: string, page: string): Promise<void> {
  try {
    await writeFile(path, page);
  } catch (cause) {
    throw new LocalError(`Cannot write ${path}: ${messageOf(cause)}. Name another file with --html.`, { cause });
  }
}
