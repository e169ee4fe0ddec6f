// Kubernetes versions, and which kubectl fits which kube-apiserver: https://kubernetes.io/releases/version-skew-policy.

interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  /** An alpha, beta or release candidate, whose API may still change. */
  readonly isPreRelease: boolean;
}

/** Undefined when `text` is no version. Suffixes of vendors are accepted: `v1.36.1-gke.100`, `v1.36.1+k3s1`. */
export function parseKubernetesVersion(text: string): KubernetesVersion | undefined {
  const match = /^v?([0-9]{1,3})\.([0-9]{1,4})\.[0-9]+(?![0-9.])(-(?:alpha|beta|rc)(?![a-z]))?/.exec(text.trim());
  if (!match) return undefined;
  return { major: Number(match[1]), minor: Number(match[2]), isPreRelease: match[3] !== undefined };
}

/**
 * Why this kubectl does not fit; undefined when it does. kubectl may be one minor version older or newer than kube-apiserver.
 * A pre-release does not fit, because the skew policy covers releases only.
 */
export function whyKubectlDoesNotFit(kubectl: string, kubeApiServer: string): string | undefined {
  const client = parseKubernetesVersion(kubectl);
  const server = parseKubernetesVersion(kubeApiServer);
  if (!server) return `the version of kube-apiserver is unknown`;
  const range = `kube-apiserver ${kubeApiServer} needs ${server.major}.${server.minor - 1} to ${server.major}.${server.minor + 1}`;
  if (!client) return `its version is unreadable, and ${range}`;
  if (client.isPreRelease) return `it is the pre-release ${kubectl}, and ${range}`;
  const fits = client.major === server.major && Math.abs(client.minor - server.minor) <= 1;
  return fits ? undefined : `it is ${kubectl}, and ${range}`;
}
