// What the commands that plan without the operator read before they plan: files, the cluster, and the access to the services.
import { homedir } from 'node:os';

import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import type { Values } from '../lib/options/option.ts';
import { eraseLine } from '../lib/output.ts';
import { systemRandom } from '../lib/random.ts';
import { SecretText } from '../lib/secret-text.ts';
import { problemText } from './findings/problem-report.ts';
import type { Host } from './host.ts';
import { checkFiles, type FileReport } from './manifests/check-files.ts';
import { readManifestFiles } from './manifests/manifest-files.ts';
import { type accessOptions, tokenVariable } from './options/preview-options.ts';
import { readProxies } from './options/proxy-variables.ts';
import type { PreviewObjects } from './preview/file-objects.ts';
import type { ScopeListRequest } from './preview/list-scopes.ts';
import { defaultTokenFile, readTokens } from './preview/login-store.ts';
import type { ServiceAccess } from './preview/open-client.ts';
import { readTokenFiles, tokenOf } from './preview/token-files.ts';

/** How a command reaches the services. */
type AccessToServices = Values<typeof accessOptions>;

/** Undefined when the files have errors. Standard error has the problems as validate prints them. */
export async function readPreviewFiles(
  filename: readonly string[],
  nowMs: number,
  host: Host,
): Promise<FileReport | undefined> {
  const files = await readManifestFiles(filename, host);
  const report = checkFiles(files, nowMs);
  host.err.write(problemText(report.problems));
  return report.problems.some(({ severity }) => severity === 'error') ? undefined : report;
}

/**
 * The access of a command to the services of its connections, from its options and its environment. Rejects with `UsageError` and `LocalError` for a file of `tokenFile` that cannot be used. Opens no socket.
 */
export async function openPreviewAccess(
  { secrets, configMaps }: Pick<PreviewObjects, 'configMaps' | 'secrets'>,
  { tokenFile, allowHttp, allowPrivateEndpoints, allowedHosts, clusterResourceNamespace }: AccessToServices,
  { env }: Host,
): Promise<ServiceAccess> {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new UsageError('NODE_TLS_REJECT_UNAUTHORIZED=0 switches off TLS verification; unset it.');
  }
  const loginFile = defaultTokenFile(env, homedir());
  const text = env[tokenVariable] ?? '';
  return {
    allowHttp,
    allowPrivateEndpoints,
    allowedHosts,
    configMaps,
    proxies: readProxies(env),
    clock: systemClock,
    random: systemRandom,
    credentials: {
      secrets,
      clusterNamespace: clusterResourceNamespace,
      tokenFiles: await readTokenFiles(tokenFile),
      readEnvironmentToken: () => (text === '' ? undefined : tokenOf(new SecretText(text), tokenVariable)),
      readLoginTokens: () => readTokens(loginFile),
      loginFile,
    },
  };
}

/** On a terminal that can redraw, the progress is one line that is replaced and finally erased. */
export function listRequest({ err, stopping: signal }: Pick<Host, 'err' | 'stopping'>): ScopeListRequest {
  return {
    signal,
    onProgress({ done, all }) {
      if (err.canRedraw) err.write(`${eraseLine}${done === all ? '' : `Listed ${done} of ${all} scopes`}`);
    },
  };
}
