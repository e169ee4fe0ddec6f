// `rolealerts plan`: what the operator would change if the files were applied, or what it would change now.
import { readBuildFacts } from '../lib/build-facts.ts';
import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import type { Values } from '../lib/options/option.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';
import type { FileReport } from './manifests/check-files.ts';
import { planOptions } from './options/plan-options.ts';
import { planRequest, readPreviewFiles, reportProblems } from './preview-input.ts';
import { previewOf } from './preview/build-preview.ts';
import { fileObjects } from './preview/file-objects.ts';
import { liveObjects, type LiveObjects } from './preview/live-objects.ts';
import { planObjects } from './preview/plan-objects.ts';
import { previewJson } from './preview/preview-json.ts';
import { previewJunit } from './preview/preview-junit.ts';
import { previewMarkdown } from './preview/preview-markdown.ts';
import type { PreviewObjects } from './preview/preview-objects.ts';
import { previewSarif } from './preview/preview-sarif.ts';
import { previewText } from './preview/preview-text.ts';
import { type Preview, totalsOfPreview } from './preview/preview.ts';
import { withViewer } from './viewer.ts';

type PlanValues = Values<typeof planOptions>;

export const planCommand = defineCommand({
  name: 'plan',
  description: descriptions.plan,
  more: `Lists the alerts of each scope once and sends nothing else. The credential of a connection comes from the first place that has
one: a Secret in the files, --token-file, the environment variable ROLEALERTS_TOKEN, or the sign-in of rolealerts login.`,
  examples: [
    'rolealerts plan -f policies/',
    'rolealerts plan -f policies/ --token-file token.txt -o markdown',
    'rolealerts plan --live -n payments --at 2026-12-24T00:00:00Z',
  ],
  exits: {
    success: 'nothing would change',
    failed: 'failed, or a scope is not known',
    remains: 'something would change',
  },
  options: planOptions,
  async run(values, host) {
    if (values.filename.length === 0 && !values.live) {
      throw new UsageError('--filename or --live is required: give a file, a directory or -, or read the cluster.');
    }
    if (values.allNamespaces && !values.live) {
      throw new UsageError('--all-namespaces requires --live: files name their namespaces.');
    }
    const nowMs = values.at ?? systemClock.now();
    const report = await readPreviewFiles(values.filename, nowMs, host);
    if (!report) return exitCodes.failed;
    const { objects, problems, ...source } = await readObjects(report, values, host);
    if (reportProblems(problems, host)) return exitCodes.failed;
    const request = await planRequest(objects, values, nowMs, host);
    const planned = await planObjects(objects, request, (found) => found);
    const preview = previewOf(planned, { nowMs, clusterNamespace: values.clusterResourceNamespace, ...source });
    host.out.write(render(preview, objects, values.output));
    return exitOf(preview);
  },
});

type Source = Pick<Preview, 'memory' | 'namespace'> & LiveObjects;

async function readObjects(report: FileReport, values: PlanValues, host: Host): Promise<Source> {
  if (!values.live) {
    return { objects: fileObjects(report, values.namespace ?? 'default'), problems: [], memory: 'Files' };
  }
  return withViewer(values, host, async (place) => {
    return { ...(await liveObjects(place, report)), memory: 'Cluster', namespace: place.namespace };
  });
}

function render(preview: Preview, { manifests }: PreviewObjects, format: PlanValues['output']): string {
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
  const { activations, deactivations, failed } = totalsOfPreview(preview);
  if (failed > 0) return exitCodes.failed;
  return activations + deactivations > 0 ? exitCodes.remains : exitCodes.success;
}
