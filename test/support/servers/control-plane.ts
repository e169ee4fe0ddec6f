// The real API server of the tiers `cluster` and `process`. The control plane is shared by the whole
// run (control-plane-setup.ts), so a test works in a namespace of its own; one that stops the API server starts its own.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, inject, it } from 'vitest';

import { SecretText } from '../../../src/lib/secret-text.ts';
import { startControlPlane, type ControlPlane } from '../../../src/local/control-plane.ts';
import { findBinaries } from '../../../src/local/find-binaries.ts';
import { renderKubeconfig, writePrivateFile } from '../../../src/local/kubeconfig.ts';
import { thisMachine } from '../../../src/local/machine.ts';
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
  readonly deletesNamespaces: boolean;
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
  /** Applies `crds/` and waits until they are served. Idempotent. */
  applyCrds(): Promise<void>;
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
  'url' | 'kubeconfigPath' | 'dataDirectory' | 'certificateAuthority' | 'adminToken' | 'deletesNamespaces'
> & { readonly kubectlPath: string };

/** `describe` with the shared control plane; skipped with the reason when there is none. */
// oxlint-disable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests -- a describe of our own, not a test: title and body are its caller's
export function describeWithControlPlane(name: string, body: (controlPlane: TestControlPlane) => void): void {
  const provided = inject('controlPlane');
  if ('whyNot' in provided) {
    describe(name, () => it.skip(provided.whyNot, () => undefined));
    return;
  }
  const access = { ...provided, adminToken: new SecretText(provided.adminToken) };
  describe(name, () => body(testControlPlane(access)));
}
// oxlint-enable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests

/** A control plane of the test's own, for tests that stop the API server. The test stops it. */
export async function startOwnControlPlane(): Promise<ControlPlane & TestControlPlane> {
  const machine = thisMachine(process);
  // The binaries are in the cache folder since the shared control plane was started.
  const binaries = await findBinaries(machine, { print: () => undefined, advance: () => undefined });
  const controlPlane = await startControlPlane({ machine, binaries });
  return { ...testControlPlane({ ...controlPlane, kubectlPath: binaries.kubectl }), ...controlPlane };
}

/** Long enough for a slow machine; only a hang reaches it. */
const withinMs = 300_000;

/** Asks until `ask` gives a value that is not undefined, for at most five minutes. */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(50);
  }
}

function testControlPlane(access: ControlPlaneAccess): TestControlPlane {
  const scratchDirectory = mkdtempSync(join(access.dataDirectory, 'test-'));
  const environment = { ...process.env, KUBECACHEDIR: join(scratchDirectory, 'kubectl-cache') };
  let count = 0;
  const nextName = (prefix: string) => `${prefix}-${process.pid}-${(count += 1)}`;

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
    async applyCrds() {
      const directory = new URL('../../../crds', import.meta.url).pathname;
      await kubectl(['apply', '--server-side', '--kustomize', directory]);
      await kubectl(['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all']);
    },
    impersonatedKubeconfig: (user, groups = []) =>
      writeKubeconfig({ token: access.adminToken, impersonate: { user, groups } }),
    serviceAccountToken,
    async serviceAccountKubeconfig(namespace, name, duration) {
      return writeKubeconfig({ token: await serviceAccountToken(namespace, name, duration) });
    },
  };
}

function identityArgs(access: ControlPlaneAccess, options: KubectlOptions): readonly string[] {
  const as = options.as === undefined ? [] : [`--as=${options.as}`];
  const groups = (options.asGroups ?? []).map((group) => `--as-group=${group}`);
  return ['--kubeconfig', options.kubeconfigPath ?? access.kubeconfigPath, ...as, ...groups];
}
