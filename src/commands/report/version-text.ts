// What `version` prints: this program, and the cluster if one answers.
import { indentedJson } from '../../lib/json-shape.ts';

export interface ClientVersion {
  readonly version: string;
  readonly commit: string;
  /** `v26.10.0` */
  readonly node: string;
  /** `linux/x64` */
  readonly platform: string;
}

export interface ClusterVersion {
  /** Of the API server: `v1.36.3`. */
  readonly kubernetes: string;
  /** By the plural of the resource: how its served schema compares with that of the program. */
  readonly schemas: Readonly<Record<string, 'Same' | 'Different' | 'NotServed' | 'Unknown'>>;
  /** Undefined when the caller may not read Deployments. */
  readonly operators: readonly OperatorVersion[] | undefined;
}

export interface OperatorVersion {
  readonly name: string;
  readonly image: string;
  /** The tag of the image; undefined when it has none. */
  readonly version: string | undefined;
}

/** The first line is the one that scripts read. `cluster`: what it has, why it is not known, or undefined to omit it. */
export function versionText(client: ClientVersion, cluster?: ClusterVersion | string): string {
  const { version, commit, node, platform } = client;
  const own = `rolealerts ${version}\ncommit:   ${commit}\nnode:     ${node}\nplatform: ${platform}\n`;
  if (cluster === undefined) return own;
  if (typeof cluster === 'string') return `${own}cluster:  ${cluster}\n`;
  return `${own}cluster:  Kubernetes ${cluster.kubernetes}\ncrds:     ${schemasText(cluster)}\noperator: ${operatorsText(cluster)}\n`;
}

const schemaWords = { Same: 'same', Different: 'another', NotServed: 'not served', Unknown: 'served' } as const;

/** One word for all, or one for each resource. */
function schemasText({ schemas }: ClusterVersion): string {
  const states = new Set(Object.values(schemas));
  if (states.size === 1) return allSchemas[[...states][0] ?? 'Unknown'];
  return Object.entries(schemas)
    .map(([plural, state]) => `${plural}: ${schemaWords[state]}`)
    .join(', ');
}

const allSchemas = {
  Same: 'served with the schemas of this program',
  Different: 'served with other schemas than those of this program; run rolealerts doctor',
  NotServed: 'not served; apply crds/ of this version',
  Unknown: 'served; you may not read their schemas',
} as const;

function operatorsText({ operators }: ClusterVersion): string {
  if (operators === undefined) return 'not known; you may not read its Deployment';
  if (operators.length === 0) return 'not found; name its namespace with --operator-namespace';
  return operators.map(({ name, image, version }) => `${version ?? 'no tag'} (${name}, ${image})`).join(', ');
}

/** The shape is a contract: within a version members may be added, never renamed or removed. */
export function versionJson(client: ClientVersion, cluster?: ClusterVersion | string): string {
  const answer = typeof cluster === 'string' ? { problem: cluster } : { cluster };
  const report = { apiVersion: 'cli.rolealerts.dev/v1', kind: 'VersionReport', client, ...answer };
  return indentedJson(report);
}
