// The versions in a cluster: the API server, the schemas of the CRDs, and the image of the operator.
import { objectOf, stringOf } from '../../lib/json-shape.ts';
import { schemaHashes } from '../manifests/generated/schema-hashes.ts';
import type { ClusterVersion } from '../report/version-text.ts';
import { stepDeadlineMs } from './check.ts';
import { readInstalledSchemas } from './cluster-checks.ts';
import { type OperatorPlace, readPermittedOperators, versionOfImage } from './operator.ts';

/** Rejects with a `KubeError` when the API server does not answer, or does not accept the credential. */
export async function readClusterVersion(place: OperatorPlace): Promise<ClusterVersion> {
  const { transport, signal } = place;
  const [version, installed, operators] = await Promise.all([
    transport.request<unknown>({ verb: 'get', path: '/version', deadlineMs: stepDeadlineMs, signal }),
    readInstalledSchemas(place),
    readPermittedOperators(place),
  ]);
  const schemas = Object.keys(schemaHashes).map((plural) => [plural, stateOf(plural, installed[plural])] as const);
  return {
    kubernetes: stringOf(objectOf(version)['gitVersion']) ?? '?',
    schemas: Object.fromEntries(schemas),
    operators: operators?.map(({ name, image }) => ({ name, image, version: versionOfImage(image) })),
  };
}

function stateOf(plural: string, hash: string | undefined): ClusterVersion['schemas'][string] {
  if (hash === undefined) return 'NotServed';
  if (hash === 'unknown') return 'Unknown';
  return hash === schemaHashes[plural] ? 'Same' : 'Different';
}
