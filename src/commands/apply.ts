// `rolealerts apply`: the reconcile of an operator by hand, for activations only.
import { systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { isCoded, messageOf, StoppedError } from '../lib/errors.ts';
import type { Values } from '../lib/options/option.ts';
import { connectionName } from '../operator/reasons/message-facts.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';
import type { FileReport } from './manifests/check-files.ts';
import { applyOptions } from './options/apply-options.ts';
import { planRequest, readPreviewFiles } from './preview-input.ts';
import { applyActivations } from './preview/apply-activations.ts';
import { applyJson, type ApplyReport, applyText, totalsOfApply } from './preview/apply-report.ts';
import { previewOf } from './preview/build-preview.ts';
import { fileObjects } from './preview/file-objects.ts';
import { type ManagedConnection, managedConnections } from './preview/managed-connections.ts';
import { planObjects } from './preview/plan-objects.ts';
import type { PreviewObjects } from './preview/preview-objects.ts';
import { withViewer } from './viewer.ts';

type ApplyValues = Values<typeof applyOptions>;

export const applyCommand = defineCommand({
  name: 'apply',
  description: descriptions.apply,
  more: `Activates the alerts that the files declare Active, as the operator would, and lists their scopes again to verify it. Deactivations
are only listed. Credentials come from the same places as those of rolealerts plan.`,
  examples: ['rolealerts apply -f policies/', 'rolealerts apply -f policies/ --no-cluster --token-file token.txt'],
  exits: {
    success: 'every alert is as declared',
    failed: 'failed, not verified, or a scope is not known',
    remains: 'deactivations are left to the operator',
  },
  options: applyOptions,
  async run(values, host) {
    if (values.filename.length === 0) throw new UsageError('--filename is required: give a file, a directory, or -.');
    const nowMs = systemClock.now();
    const report = await readPreviewFiles(values.filename, nowMs, host);
    if (!report) return exitCodes.failed;
    const objects = await unmanagedObjects(report, values, host);
    const request = await planRequest(objects, values, nowMs, host);
    const context = { nowMs, memory: 'Files', clusterNamespace: values.clusterResourceNamespace } as const;
    const applied = await planObjects(objects, request, async (planned, clients) => ({
      activations: await applyActivations(planned, clients, { clock: systemClock, signal: host.stopping }).catch(
        explainStop,
      ),
      preview: previewOf(planned, context),
    }));
    host.out.write(values.output === 'json' ? applyJson(applied) : applyText(applied));
    return exitOf(applied);
  },
});

function explainStop(error: unknown): never {
  if (!isCoded(error, 'stopped')) throw error;
  throw new StoppedError('The activations were stopped.', {
    detail: 'Some alerts may already be active: rolealerts plan shows what remains.',
    cause: error,
  });
}

/** Throws `LocalError` while an operator manages one of the connections, or when that is not known. */
async function unmanagedObjects(report: FileReport, values: ApplyValues, host: Host): Promise<PreviewObjects> {
  if (!values.cluster || values.ignoreOperator) {
    host.err.write('rolealerts: not checked whether an operator manages the connections.\n');
    return fileObjects(report, values.namespace ?? 'default');
  }
  const { objects, managed } = await withViewer({ ...values, allNamespaces: false }, host, async (place) => {
    const found = fileObjects(report, place.namespace ?? 'default');
    return { objects: found, managed: await managedConnections(place, found.connections) };
  }).catch((error: unknown) => {
    const message = `Cannot check whether an operator manages the connections: ${messageOf(error)}`;
    throw new LocalError(message, { detail: 'Without a cluster, pass --no-cluster.', cause: error });
  });
  const [first] = managed;
  if (first === undefined) return objects;
  throw new LocalError(managedSentence(first), {
    detail: 'Apply the files with kubectl, or pass --ignore-operator to send the activations all the same.',
  });
}

function managedSentence({ stored, given }: ManagedConnection): string {
  const sentence = `An operator of the cluster manages ${connectionName('connection', stored)}`;
  if (stored === given) return `${sentence}.`;
  return `${sentence}, which reaches the same service as ${connectionName('connection', given)} of the files.`;
}

function exitOf(report: ApplyReport): number {
  const { notVerified, failed, left, unknown } = totalsOfApply(report);
  if (notVerified + failed + unknown > 0) return exitCodes.failed;
  return left > 0 ? exitCodes.remains : exitCodes.success;
}
