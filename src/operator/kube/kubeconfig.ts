// Finds the kubeconfig in the usual order: the flag, KUBECONFIG, the Pod's service account, ~/.kube/config. client-node reads
// and merges the files; this file rejects a proxy-url, which client-node would accept.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

import type { Cluster } from '@kubernetes/client-node';
// Not the whole package, which has a client of every resource.
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { load } from 'js-yaml';

import { UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';

export interface KubeconfigSource {
  /** `--kubeconfig`. Absent: the environment decides. */
  readonly path?: string | undefined;
  /** `--context`. Absent: the current context of the kubeconfig. */
  readonly context?: string | undefined;
  /** The environment: KUBECONFIG, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, HOME. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The directory of a Pod's token and CA. Default: the standard path of Kubernetes. */
  readonly serviceAccountDirectory?: string | undefined;
}

const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns the text of a file. Throws as `readFileSync`. */
type ReadKubeconfig = (file: string) => string;

/** Keeps the text of what can be read only once, such as the pipe of `--kubeconfig <(command)`. */
function kubeconfigReader(): ReadKubeconfig {
  const kept = new Map<string, string>();
  return (file) => {
    const known = kept.get(file);
    if (known !== undefined) return known;
    const text = readFileSync(file, 'utf8');
    if (!statSync(file).isFile()) kept.set(file, text);
    return text;
  };
}

/** Loads the kubeconfig again at every call, as `loadKubeconfig`; a pipe keeps the text of the first call. */
export function kubeconfigLoader(source: KubeconfigSource): () => KubeConfig {
  const read = kubeconfigReader();
  return () => loadKubeconfig(source, read);
}

/** Throws `UsageError` when there is none, and when the kubeconfig is invalid. */
export function loadKubeconfig(source: KubeconfigSource, read = kubeconfigReader()): KubeConfig {
  const config = findKubeconfig(source, read);
  if (source.context !== undefined) useContext(config, source.context);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw usage('The kubeconfig has no current context, or its cluster is missing.');
  if (cluster.proxyUrl !== undefined) throw usage('The kubeconfig has a proxy-url; proxies are not supported.');
  if (cluster.server.startsWith('http:')) config.clusters = config.clusters.map(withoutTls);
  return config;
}

function useContext(config: KubeConfig, context: string): void {
  if (!config.getContextObject(context)) {
    const names = config.contexts.map(({ name }) => name).join(', ');
    throw usage(`The kubeconfig has no context ${context}: it has ${names === '' ? 'none' : names}.`);
  }
  config.setCurrentContext(context);
}

/** client-node requires this flag for plain HTTP (a local `kubectl proxy`), where there is no TLS to verify. */
function withoutTls(cluster: Cluster): Cluster {
  return cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster;
}

function findKubeconfig(
  { path, environment, serviceAccountDirectory: directory = serviceAccountDirectory }: KubeconfigSource,
  read: ReadKubeconfig,
): KubeConfig {
  if (path !== undefined) return fromFiles([path], read);
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return fromListedFiles(listed, read);
  const host = environment['KUBERNETES_SERVICE_HOST'];
  if (host !== undefined && existsSync(join(directory, 'token'))) {
    return fromServiceAccount(host, environment['KUBERNETES_SERVICE_PORT'] ?? '443', directory);
  }
  const home = join(environment['HOME'] ?? '', '.kube', 'config');
  if (environment['HOME'] !== undefined && existsSync(home)) return fromFiles([home], read);
  throw new UsageError('No cluster is configured: pass --kubeconfig, set KUBECONFIG, or run inside a Pod.');
}

/** As kubectl, skips files that do not exist. Unlike kubectl, uses no other cluster when none of them exists. */
function fromListedFiles(files: readonly string[], read: ReadKubeconfig): KubeConfig {
  const present = files.filter((file) => existsSync(file));
  if (present.length > 0) return fromFiles(present, read);
  if (files.length === 1) throw usage(`KUBECONFIG names a file that does not exist: ${files[0]}`);
  throw usage(`KUBECONFIG names only files that do not exist: ${files.join(', ')}`);
}

/** Merges several files as kubectl does: the first definition of a name wins. */
function fromFiles(files: readonly string[], read: ReadKubeconfig): KubeConfig {
  const config = new KubeConfig();
  for (const file of files) {
    try {
      mergeMissing(config, fromFile(file, read));
    } catch (cause) {
      throw usage(`The kubeconfig cannot be used: ${messageOf(cause)}`, cause);
    }
  }
  return config;
}

function mergeMissing(config: KubeConfig, next: KubeConfig): void {
  for (const cluster of next.clusters) if (!config.getCluster(cluster.name)) config.addCluster(cluster);
  for (const user of next.users) if (!config.getUser(user.name)) config.addUser(user);
  for (const context of next.contexts) if (!config.getContextObject(context.name)) config.addContext(context);
  config.setCurrentContext(config.currentContext || next.currentContext);
}

/** client-node ignores `tokenFile` of a user, which has to be read periodically; its in-cluster provider does that. */
function fromFile(file: string, read: ReadKubeconfig): KubeConfig {
  const config = new KubeConfig();
  const text = read(file);
  config.loadFromString(text);
  config.makePathsAbsolute(dirname(file));
  const document: unknown = load(text);
  for (const { name, user } of usersOf(document)) {
    const tokenFile = user?.tokenFile;
    if (tokenFile === undefined) continue;
    config.users = config.users.map((known) =>
      known.name === name ? { ...known, authProvider: tokenFileProvider(resolve(dirname(file), tokenFile)) } : known,
    );
  }
  return config;
}

function tokenFileProvider(tokenFile: string) {
  return { name: 'tokenFile', config: { tokenFile } };
}

type KubeconfigUsers = readonly { readonly name: string; readonly user?: { readonly tokenFile?: string } | null }[];

/** client-node has already checked that every user is an object with a name. */
function usersOf(document: unknown): KubeconfigUsers {
  const users = (document as { readonly users?: KubeconfigUsers | null } | null)?.users;
  return Array.isArray(users) ? users : [];
}

/** The Pod's namespace; undefined outside a Pod. */
export function readPodNamespace(directory = serviceAccountDirectory): string | undefined {
  const file = join(directory, 'namespace');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** client-node reads the token again every minute, which follows its rotation, and the CA for every new connection. */
function fromServiceAccount(host: string, port: string, directory: string): KubeConfig {
  const config = new KubeConfig();
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  config.loadFromClusterAndUser(
    { name: 'in-cluster', server, caFile: join(directory, 'ca.crt'), skipTLSVerify: false },
    { name: 'in-cluster', authProvider: tokenFileProvider(join(directory, 'token')) },
  );
  return config;
}

function usage(message: string, cause?: unknown): UsageError {
  return new UsageError(message, { cause });
}
