// What tests do with a control plane: kubectl as the administrator or another user, namespaces, tokens and kubeconfigs.
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { SecretText } from '../../../src/lib/secret-text.ts';
import { renderKubeconfig, writePrivateFile } from '../../../src/local/control-plane-programs.ts';
import type { ControlPlane } from '../../../src/local/control-plane.ts';
import { runCommand, type CommandResult } from '../../../src/local/run-command.ts';

interface KubectlOptions {
  /** Sent on standard input; use `-f -`. */
  readonly input?: string;
  /** Act as this user, or as `system:serviceaccount:NAMESPACE:NAME`. */
  readonly as?: string;
  readonly asGroups?: readonly string[];
  /** Instead of the administrator's. */
  readonly kubeconfigPath?: string;
}

export interface TestControlPlane {
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  readonly certificateAuthority: string;
  readonly adminToken: SecretText;
  /** A folder of this test file for kubeconfigs and the like; deleted with the control plane. */
  readonly scratchDirectory: string;
  /** Standard output. Throws with standard error when kubectl fails. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** The same for failures that are expected. */
  tryKubectl(args: readonly string[], options?: KubectlOptions): Promise<CommandResult>;
  /** Parsed `kubectl … -o json`. */
  kubectlJson<Value>(args: readonly string[], options?: KubectlOptions): Promise<Value>;
  /** A namespace with a unique name. Not deleted: the control plane is thrown away. */
  newNamespace(labels?: Readonly<Record<string, string>>): Promise<string>;
  /** A kubeconfig that impersonates another user. */
  impersonatedKubeconfig(user: string, groups?: readonly string[]): Promise<string>;
  /** A token of a service account, made by the TokenRequest API. */
  serviceAccountToken(namespace: string, name: string, duration?: string): Promise<SecretText>;
  /** A kubeconfig with such a token. */
  serviceAccountKubeconfig(namespace: string, name: string, duration?: string): Promise<string>;
}

/** Facts that are enough to use a control plane. */
type ControlPlaneAccess = Pick<
  ControlPlane,
  'url' | 'kubeconfigPath' | 'dataDirectory' | 'certificateAuthority' | 'adminToken'
> & { readonly kubectlPath: string };

export function testControlPlane(access: ControlPlaneAccess): TestControlPlane {
  const scratchDirectory = mkdtempSync(join(access.dataDirectory, 'test-'));
  const environment = { ...process.env, KUBECACHEDIR: join(scratchDirectory, 'kubectl-cache') };
  const nextName = (prefix: string) => `${prefix}-${randomBytes(4).toString('hex')}`;

  const tryKubectl = (args: readonly string[], options: KubectlOptions = {}) =>
    runCommand(access.kubectlPath, [...identityArgs(access, options), ...args], {
      environment,
      deadlineMs: 300_000,
      ...(options.input !== undefined && { input: options.input }),
    });
  const kubectl = async (args: readonly string[], options: KubectlOptions = {}) => {
    const { exitCode, stdout, stderr } = await tryKubectl(args, options);
    if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
    return stdout;
  };
  const serviceAccountToken = async (namespace: string, name: string, duration = '1h') => {
    const text = await kubectl(['create', 'token', name, '--namespace', namespace, `--duration=${duration}`]);
    return new SecretText(text.trim());
  };
  const writeKubeconfig = async (
    facts: Omit<Parameters<typeof renderKubeconfig>[0], 'url' | 'certificateAuthority'>,
  ) => {
    const path = join(scratchDirectory, nextName('kubeconfig'));
    const { url, certificateAuthority } = access;
    await writePrivateFile(path, renderKubeconfig({ url, certificateAuthority, ...facts }));
    return path;
  };
  return {
    ...access,
    scratchDirectory,
    kubectl,
    tryKubectl,
    async kubectlJson<Value>(args: readonly string[], options?: KubectlOptions) {
      return JSON.parse(await kubectl([...args, '--output=json'], options)) as Value;
    },
    async newNamespace(labels = {}) {
      const metadata = { name: nextName('test'), labels };
      await kubectl(['create', '-f', '-'], {
        input: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata }),
      });
      return metadata.name;
    },
    impersonatedKubeconfig: (user, groups = []) =>
      writeKubeconfig({ token: access.adminToken, impersonate: { user, groups } }),
    serviceAccountToken,
    async serviceAccountKubeconfig(namespace, name, duration) {
      return writeKubeconfig({ token: await serviceAccountToken(namespace, name, duration) });
    },
  };
}

/** Applies `crds/`, waits until they are served, and applies `deploy/base`. Idempotent; nothing runs the operator's Pods. */
export async function installOperator(controlPlane: TestControlPlane): Promise<void> {
  const apply = async (folder: string) => {
    const path = new URL(`../../../${folder}`, import.meta.url).pathname;
    await controlPlane.kubectl(['apply', '--server-side', '--kustomize', path]);
  };
  await apply('crds');
  await controlPlane.kubectl(['wait', '--for=condition=Established', '--timeout=5m', 'crd', '--all']);
  await apply('deploy/base');
}

function identityArgs(access: ControlPlaneAccess, options: KubectlOptions): readonly string[] {
  const as = options.as === undefined ? [] : [`--as=${options.as}`];
  const groups = (options.asGroups ?? []).map((group) => `--as-group=${group}`);
  return ['--kubeconfig', options.kubeconfigPath ?? access.kubeconfigPath, ...as, ...groups];
}
