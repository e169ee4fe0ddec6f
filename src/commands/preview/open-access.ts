// The access of a command to the services of its connections, from its options and its environment.
import { homedir } from 'node:os';

import { systemClock } from '../../lib/clock.ts';
import type { Proxies } from '../../lib/proxy.ts';
import { systemRandom } from '../../lib/random.ts';
import { SecretText } from '../../lib/secret-text.ts';
import type { UrlRules } from '../../operator/alert-client/endpoint.ts';
import { tokenVariable } from '../options/preview-options.ts';
import type { CredentialPlaces } from './credentials.ts';
import { defaultTokenFile, readTokens } from './login-store.ts';
import type { ServiceAccess } from './open-client.ts';
import type { PreviewObjects } from './preview-objects.ts';
import { readTokenFiles, tokenOf } from './token-files.ts';

export interface AccessValues extends UrlRules {
  readonly tokenFile: readonly string[];
  readonly allowPrivateEndpoints: boolean;
}

export interface AccessFacts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly proxies: Proxies | undefined;
  /** The namespace of the Secrets of every ClusterRoleAlertConnection. */
  readonly clusterNamespace: string;
}

/** Without `secrets` for a command that takes none. */
export type AccessObjects = Pick<PreviewObjects, 'configMaps'> & Pick<CredentialPlaces, 'secrets'>;

/** Rejects with `UsageError` and `LocalError` for a file of `tokenFile` that cannot be used. Opens no socket. */
export async function openAccess(
  { secrets, configMaps }: AccessObjects,
  { tokenFile, ...rules }: AccessValues,
  { environment, proxies, clusterNamespace }: AccessFacts,
): Promise<ServiceAccess> {
  const loginFile = defaultTokenFile(environment, homedir());
  return {
    ...rules,
    configMaps,
    proxies,
    clock: systemClock,
    random: systemRandom,
    credentials: {
      secrets,
      clusterNamespace,
      tokenFiles: await readTokenFiles(tokenFile),
      readEnvironmentToken: () => environmentToken(environment),
      readLoginTokens: () => readTokens(loginFile),
      loginFile,
    },
  };
}

function environmentToken(environment: AccessFacts['environment']): SecretText | undefined {
  const text = environment[tokenVariable] ?? '';
  return text === '' ? undefined : tokenOf(new SecretText(text), tokenVariable);
}
