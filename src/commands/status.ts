// `rolealerts status`: the fleet, or some of its sections: what needs attention, what fires, what ends, what the rate limits allow.
import { systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { flagOnly, type Values } from '../lib/options/option.ts';
import { numberOption } from '../lib/options/quantity.ts';
import { choiceOption, listOption, selectorOption, switchOption } from '../lib/options/text.ts';
import { lineColumns } from '../lib/output.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import { controllerOptions } from '../operator/manager/controller-options.ts';
import type { ClusterPlace } from './cluster/cluster-place.ts';
import { readFleet } from './cluster/read-fleet.ts';
import { selectFleet } from './cluster/select-policies.ts';
import { watchFleet } from './cluster/watch-fleet.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';
import { filenameOption, outputOption, viewerOptions } from './options/shared-options.ts';
import { readPreviewFiles } from './preview-input.ts';
import { fileObjects } from './preview/file-objects.ts';
import { budgetsOf, isWithinBudget } from './report/budget.ts';
import { type FleetInput, fleetOf } from './report/fleet.ts';
import { reportHtml } from './report/html.ts';
import { reportMarkdown } from './report/markdown.ts';
import {
  fleetReport,
  isSectionName,
  placeName,
  type ReportInput,
  type SectionName,
  sectionNames,
} from './report/sections.ts';
import { inFormat, reportData, reportText } from './report/text.ts';
import { withViewer } from './viewer.ts';

const statusOptions = {
  ...viewerOptions,
  selector: flagOnly(
    selectorOption({
      flag: 'selector',
      letter: 'l',
      placeholder: 'LABELS',
      description: 'Only the policies with these labels, such as team=payments.',
    }),
  ),
  notReady: flagOnly(
    switchOption({
      flag: 'not-ready',
      description: 'Only what is not ready, and exit code 2 if there is any.',
    }),
  ),
  severity: flagOnly(
    choiceOption({
      flag: 'severity',
      choices: ['Low', 'Medium', 'High'],
      fallback: 'Low',
      description: 'Only open incidents of this severity or a higher one.',
    }),
  ),
  show: listOption({
    flag: 'show',
    placeholder: 'SECTIONS',
    description: 'Only these sections, separated by commas. Default: attention; of Markdown and HTML all.',
    isItem: isSectionName,
    expected: `sections among ${sectionNames.join(', ')}`,
  }),
  output: outputOption(
    ['text', 'wide', 'json', 'yaml', 'markdown', 'html'],
    'wide has every row and column, and the policies and connections.',
  ),
  watch: switchOption({
    flag: 'watch',
    letter: 'w',
    description: 'Print again whenever a policy or a connection changes, until interrupted.',
  }),
  days: numberOption({
    flag: 'days',
    fallback: 30,
    least: 1,
    most: 366,
    defaultText: '30',
    description: 'How many days ahead the timeline shows.',
  }),
  filename: filenameOption('Show the timeline and the budget of manifests instead of a cluster: a', '. Repeatable.'),
};

type StatusValues = Values<typeof statusOptions>;

/** Erases the screen and what scrolled out of it, and puts the cursor at the top left. */
const clearScreen = '\u001b[H\u001b[2J\u001b[3J';

export const statusCommand = defineCommand({
  name: 'status',
  description: descriptions.status,
  more: `The sections: attention (totals, then what is wrong, causes first), incidents (alerts that fire, highest severity and
oldest first), dismissals (those in force), timeline (what ends by itself), budget (requests per hour that
connections need), policies and connections (all of them).

Reads with your kubeconfig; statuses name no person.`,
  examples: [
    'rolealerts status -A --not-ready',
    'rolealerts status -A -l team=payments --severity High -o wide',
    'rolealerts status -n payments owners --show incidents,dismissals',
    'rolealerts status -A -o html > fleet.html',
    'rolealerts status -f policies/ --show budget',
  ],
  exits: {
    success: 'success, also when something needs attention',
    remains: 'with --not-ready: something is not ready; with --show budget: a limit does not suffice',
  },
  options: statusOptions,
  operands: [{ name: 'NAME', description: 'Only these policies, as NAME or rap/NAME. Default: all.', count: 'Any' }],
  async run(values, host, names) {
    const sections = sectionsOf(values, names);
    const print = printer(values, sections, host);
    if (values.filename.length > 0) return print(await readFiles(values, host));
    return withViewer(values, host, async (viewer) => {
      const inputOf = (read: FleetInput): ReportInput => ({
        ...selectFleet(read, { ...values, names, namespace: viewer.namespace }),
        ...askedOf(values),
        notReady: values.notReady,
        namespace: viewer.namespace,
        place: placeName(viewer.namespace),
      });
      if (values.watch) {
        const { canRedraw } = host.out;
        await follow(viewer, host, (read) => {
          if (canRedraw) host.out.write(clearScreen);
          print(inputOf(read));
          if (!canRedraw) host.out.write('\n');
        });
        return exitCodes.success;
      }
      return print(inputOf({ ...(await readFleet(viewer)), nowMs: systemClock.now() }));
    });
  },
});

const sectionsOfFiles: readonly SectionName[] = ['timeline', 'budget'];

/** What the options select. Throws `UsageError` for options that contradict each other. */
function sectionsOf(
  { show, output, watch, filename, severity, selector, notReady }: StatusValues,
  names: readonly string[],
): readonly SectionName[] {
  const isOfIncidents = severity !== 'Low';
  const isShown = (name: SectionName) => show.includes(name);
  if (filename.length > 0) {
    if (
      watch ||
      isOfIncidents ||
      notReady ||
      selector !== undefined ||
      names.length > 0 ||
      sectionNames.some((name) => isShown(name) && !sectionsOfFiles.includes(name))
    ) {
      throw new UsageError(
        'Files have no status: with --filename, show the timeline and the budget of all policies, without --watch.',
      );
    }
    return show.length === 0 ? sectionsOfFiles : sectionsOfFiles.filter(isShown);
  }
  if (isOfIncidents && show.length > 0 && !isShown('incidents')) {
    throw new UsageError('--severity belongs to --show incidents.');
  }
  if (show.length > 0) return sectionNames.filter(isShown);
  if (isOfIncidents) return ['incidents'];
  if (output === 'html' || output === 'markdown') return sectionNames;
  return output === 'text' ? ['attention'] : ['attention', 'policies', 'connections'];
}

function askedOf({ days, severity }: StatusValues) {
  return { aheadMs: days * 86_400_000, defaultMs: controllerOptions.interval.fallback, severity };
}

/** Throws `LocalError` for files with errors. */
async function readFiles(values: StatusValues, host: Host): Promise<ReportInput> {
  const nowMs = systemClock.now();
  const report = await readPreviewFiles(values.filename, nowMs, host);
  if (!report) throw new LocalError('The files have errors: correct them; rolealerts validate checks them.');
  const { policies, connections } = fileObjects(report, values.namespace ?? 'default');
  return { policies, connections, nowMs, namespace: undefined, place: 'files', ...askedOf(values) };
}

/** Prints a report, and gives the exit code. */
function printer(values: StatusValues, sections: readonly SectionName[], { out }: Host) {
  return (input: ReportInput): number => {
    const report = fleetReport(input, sections);
    const text = () => {
      if (values.output === 'markdown') return reportMarkdown(report);
      if (values.output === 'html') return reportHtml(report, formatTimestamp(input.nowMs));
      return reportText(report, { columns: lineColumns(out), isWide: values.output === 'wide' });
    };
    out.write(inFormat(values.output, () => reportData(report), text));
    const isNotReady = values.notReady && fleetOf(input).findings.length > 0;
    const isShort = values.show.includes('budget') && !isWithinBudget(budgetsOf(input));
    return isNotReady || isShort ? exitCodes.remains : exitCodes.success;
  };
}

/** Shows the fleet whenever it changes, and again when a terminal that can redraw gets another size. */
async function follow(place: ClusterPlace, { out }: Host, show: (input: FleetInput) => void): Promise<void> {
  let last: FleetInput | undefined;
  const redraw = () => last && show({ ...last, nowMs: systemClock.now() });
  const end = out.canRedraw ? out.onResize?.(redraw) : undefined;
  await watchFleet(place, await readFleet(place), (input) => {
    last = input;
    show(input);
  });
  end?.();
}
