// `rolealerts plan`: what the operator would change if the files were applied, or what it would change now; with `--activate`, the reconcile of
// an operator by hand, for activations only.
import { readBuildFacts } from '../lib/build-facts.ts';
import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import { isCoded, StoppedError } from '../lib/errors.ts';
import { flagOnly, type Values } from '../lib/options/option.ts';
import { timeOption } from '../lib/options/quantity.ts';
import { switchOption } from '../lib/options/text.ts';
import { clusterConnectionKind } from '../policy/resources.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { exitCodes } from './exit-codes.ts';
import { problemText } from './findings/problem-report.ts';
import type { Host } from './host.ts';
import type { FileReport } from './manifests/check-files.ts';
import { previewOptions } from './options/preview-options.ts';
import { outputOption, viewerOptions } from './options/shared-options.ts';
import { listRequest, openPreviewAccess, readPreviewFiles } from './preview-input.ts';
import { activate } from './preview/activate.ts';
import { previewOf } from './preview/build-preview.ts';
import { type DeclaredObjects, fileObjects, type PreviewObjects } from './preview/file-objects.ts';
import { liveObjects, type LiveObjects } from './preview/live-objects.ts';
import { planObjects } from './preview/plan-objects.ts';
import { previewJunit, previewSarif } from './preview/preview-findings.ts';
import { type Preview, totalsOfPreview } from './preview/preview.ts';
import { previewJson, previewMarkdown, previewText } from './preview/render-preview.ts';
import { withViewer } from './viewer.ts';

const options = {
  ...previewOptions,
  live: switchOption({
    flag: 'live',
    description: 'Read the objects and their statuses from the cluster; the files replace objects of the same name.',
  }),
  all: flagOnly(
    switchOption({
      flag: 'all',
      description: 'With --live and files: plan every scope, not only those that the files change.',
    }),
  ),
  allNamespaces: viewerOptions.allNamespaces,
  at: timeOption({
    flag: 'at',
    description: 'Plan as of that time, with the alerts as they are now. Default: now.',
  }),
  activate: flagOnly(
    switchOption({
      flag: 'activate',
      description: 'Send the activations, without an operator, and list the scopes again to verify them.',
    }),
  ),
  output: outputOption(['text', 'markdown', 'json', 'sarif', 'junit']),
};

type PlanValues = Values<typeof options>;

export const planCommand = defineCommand({
  name: 'plan',
  description: descriptions.plan,
  more: `Lists the alerts of each scope once and sends nothing else, unless --activate is given. The credential of a connection comes from the
first place that has one: a Secret in the files, --token-file, the environment variable ROLEALERTS_TOKEN, or the sign-in of rolealerts login.`,
  examples: [
    'rolealerts plan -f policies/',
    'rolealerts plan -f policies/ --token-file token.txt -o markdown',
    'rolealerts plan --live -n payments --at 2026-12-24T00:00:00Z',
    'rolealerts plan -f policies/ --token-file token.txt --activate',
  ],
  exits: {
    success: 'nothing would change, with --activate every alert is as declared',
    failed: 'failed, or a policy would not be ready, a scope is not known, or an activation is not verified',
    remains: 'something would change, with --activate deactivations are left to the operator',
  },
  options,
  async run(values, host) {
    refuseCombinations(values);
    const nowMs = values.at ?? systemClock.now();
    const report = await readPreviewFiles(values.filename, nowMs, host);
    if (!report) return exitCodes.failed;
    const { objects, before, refused = [], ...source } = await readObjects(report, values, host);
    host.err.write(problemText(refused));
    if (refused.length > 0) return exitCodes.failed;
    const access = await openPreviewAccess(objects, values, host);
    const request = { access, nowMs, defaultIntervalMs: values.interval, before, ...listRequest(host) };
    const context = { nowMs, clusterNamespace: values.clusterResourceNamespace, ...source };
    const preview = await planObjects(objects, request, async (planned, clientOf, unchanged) => {
      if (!values.activate) return previewOf(planned, { ...context, unchanged });
      const activating = activate(planned, clientOf, { clock: systemClock, signal: host.stopping });
      return previewOf(planned, { ...context, sent: await activating.catch(explainStop) });
    });
    host.out.write(render(preview, objects, values.output));
    return exitOf(preview);
  },
});

function refuseCombinations({ filename, live, all, allNamespaces, at, activate }: PlanValues): void {
  if (filename.length === 0 && !live) {
    throw new UsageError('--filename or --live is required: give a file, a directory or -, or read the cluster.');
  }
  if (all && (filename.length === 0 || !live)) {
    throw new UsageError('--all requires --live and --filename: one of them alone plans every scope.');
  }
  if (allNamespaces && !live) {
    throw new UsageError('--all-namespaces requires --live: files name their namespaces.');
  }
  if (activate && (live || at !== undefined)) {
    throw new UsageError('--activate sends what files declare now: leave out --live and --at.');
  }
}

function explainStop(error: unknown): never {
  if (!isCoded(error, 'stopped')) throw error;
  throw new StoppedError('The activations were stopped.', {
    detail: 'Some alerts may already be active: rolealerts plan shows what remains.',
    cause: error,
  });
}

/** `before`: undefined for a plan of every scope. */
type Source = Pick<Preview, 'memory' | 'namespace' | 'isClusterDenied'> &
  Pick<LiveObjects, 'objects'> &
  Partial<Pick<LiveObjects, 'refused'>> & { readonly before?: DeclaredObjects | undefined };

async function readObjects(report: FileReport, values: PlanValues, host: Host): Promise<Source> {
  if (values.live) {
    refuseOneNamespace(report, values);
    return withViewer(values, host, async (place) => {
      const { before, ...live } = await liveObjects(place, report);
      const isWhole = values.all || values.filename.length === 0;
      return { ...live, before: isWhole ? undefined : before, memory: 'Cluster', namespace: place.namespace };
    });
  }
  return { objects: fileObjects(report, values.namespace ?? 'default'), memory: 'Files' };
}

/** A changed grant or label changes plans of policies that one namespace does not hold. */
function refuseOneNamespace(report: FileReport, { allNamespaces }: PlanValues): void {
  if (allNamespaces) return;
  const { connections, namespaces } = fileObjects(report, 'default');
  const ofCluster = connections.filter(({ kind }) => kind === clusterConnectionKind);
  const names = [
    ...ofCluster.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ...namespaces.map(({ metadata }) => `Namespace ${metadata.name}`),
  ];
  if (names[0] === undefined) return;
  throw new UsageError(
    `${names[0]} of the files requires --all-namespaces with --live: it may change the plans of every namespace.`,
  );
}

function render(preview: Preview, { manifests }: PreviewObjects, format: (typeof options.output)['fallback']): string {
  switch (format) {
    case 'text':
      return previewText(preview);
    case 'markdown':
      return previewMarkdown(preview);
    case 'json':
      return previewJson(preview);
    case 'sarif':
      return previewSarif(preview, manifests, readBuildFacts().version);
    case 'junit':
      return previewJunit(preview);
  }
}

function exitOf(preview: Preview): number {
  const { activations, deactivations, notReady, failed, sent } = totalsOfPreview(preview);
  if (failed + notReady > 0 || (sent && sent.notVerified + sent.failed > 0)) return exitCodes.failed;
  return (sent ? deactivations : activations + deactivations) > 0 ? exitCodes.remains : exitCodes.success;
}
