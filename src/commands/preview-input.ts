// What the commands that plan without the operator read before they plan: files, the cluster, and the access to the services.
import { UsageError } from '../lib/command-errors.ts';
import type { Values } from '../lib/options/option.ts';
import { eraseLine } from '../lib/output.ts';
import { problemText } from './findings/problem-report.ts';
import type { Host } from './host.ts';
import { checkFiles, type FileReport } from './manifests/check-files.ts';
import { readManifestFiles } from './manifests/manifest-files.ts';
import type { PlacedProblem } from './manifests/parse-manifests.ts';
import type { accessOptions, previewOptions } from './options/preview-options.ts';
import { readProxies } from './options/proxy-variables.ts';
import type { ListProgress } from './preview/list-scopes.ts';
import { type AccessObjects, openAccess } from './preview/open-access.ts';
import type { ServiceAccess } from './preview/open-client.ts';
import type { PlanRequest } from './preview/plan-objects.ts';
import type { PreviewObjects } from './preview/preview-objects.ts';

type PreviewValues = Values<typeof previewOptions>;

/** How a command reaches the services. */
type AccessToServices = Values<typeof accessOptions>;

/** Undefined when the files have errors, which standard error has then. */
export async function readPreviewFiles(
  filename: readonly string[],
  nowMs: number,
  host: Host,
): Promise<FileReport | undefined> {
  const files = await readManifestFiles(filename, host);
  const report = checkFiles(files, nowMs);
  return reportProblems(report.problems, host) ? undefined : report;
}

/** Prints them as validate does, to standard error. True if one of them is an error. */
export function reportProblems(problems: readonly PlacedProblem[], { err }: Host): boolean {
  err.write(problemText(problems));
  return problems.some(({ severity }) => severity === 'error');
}

export async function openPreviewAccess(
  objects: AccessObjects,
  values: AccessToServices,
  { env }: Host,
): Promise<ServiceAccess> {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new UsageError('NODE_TLS_REJECT_UNAUTHORIZED=0 switches off TLS verification; unset it.');
  }
  const { tokenFile, allowHttp, allowPrivateEndpoints, allowedHosts, clusterResourceNamespace } = values;
  const rules = { tokenFile, allowHttp, allowPrivateEndpoints, allowedHosts };
  return openAccess(objects, rules, {
    environment: env,
    proxies: readProxies(env),
    clusterNamespace: clusterResourceNamespace,
  });
}

export async function planRequest(
  objects: PreviewObjects,
  values: PreviewValues,
  nowMs: number,
  host: Host,
): Promise<PlanRequest> {
  return {
    access: await openPreviewAccess(objects, values, host),
    nowMs,
    defaultIntervalMs: values.interval,
    signal: host.stopping,
    onProgress: listProgress(host),
  };
}

/** On a terminal that can redraw, one line that is replaced and finally erased. */
export function listProgress({ err }: Host): (progress: ListProgress) => void {
  if (!err.canRedraw) return () => undefined;
  return ({ done, all }) => err.write(`${eraseLine}${done === all ? '' : `Listed ${done} of ${all} scopes`}`);
}
