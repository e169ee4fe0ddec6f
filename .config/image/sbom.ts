// The bill of materials of the image, as CycloneDX 1.5 and SPDX 2.3: the packages that are in the bundle, with the checksums of the lockfile,
// Node, and the Debian packages. Without times and random numbers, so that the same image has the same bill.
import { readFileSync } from 'node:fs';

import { blobOf } from './oci.ts';
import { architectures, debianPackages, nodeSha256 } from './pins.ts';

export interface Component {
  readonly name: string;
  readonly version: string;
  /** Unique in the bill. */
  readonly purl: string;
  readonly licence?: string;
  readonly checksum: { readonly algorithm: 'SHA-256' | 'SHA-512'; readonly hex: string };
}

export interface Bills {
  readonly cycloneDX: string;
  readonly spdx: string;
}

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
}

const lockfile = new URL('../../package-lock.json', import.meta.url);

/** `modules`: the files of the bundle. Their packages are those of the lockfile, nested ones included. */
export function componentsOf(modules: readonly string[], nodeVersion: string): readonly Component[] {
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as { packages: Record<string, Locked> };
  const places = modules.map((id) => /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
  const bundled = [...new Set(places)]
    .filter((place) => place !== undefined)
    .map((place) => npmComponent(place, packages[place]));
  const nodes = architectures.map((architecture) => ({
    name: 'node',
    version: nodeVersion,
    purl: `pkg:generic/node@${nodeVersion}?arch=${architecture}`,
    licence: 'MIT',
    checksum: { algorithm: 'SHA-256' as const, hex: nodeSha256[architecture] },
  }));
  const libraries = architectures.flatMap((architecture) =>
    debianPackages.map(({ name, version, sha256 }) => ({
      name,
      version,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`,
      checksum: { algorithm: 'SHA-256' as const, hex: sha256[architecture] },
    })),
  );
  return [...bundled, ...nodes, ...libraries].toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
}

function npmComponent(place: string, locked: Locked | undefined): Component {
  const name = place.split('node_modules/').at(-1) ?? place;
  const { version, license, integrity } = locked ?? {};
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json has no checksum of ${place}`);
  return {
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license !== undefined && { licence: license }),
    checksum: { algorithm: 'SHA-512', hex: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') },
  };
}

export function billsOf(
  components: readonly Component[],
  image: { readonly name: string; readonly version: string },
): Bills {
  const { name, version } = image;
  const id = blobOf(Buffer.from(JSON.stringify([image, components]))).digest.replace('sha256:', '');
  const uuid = `${id.slice(0, 8)}-${id.slice(8, 12)}-5${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`;
  const root = { type: 'container', name, version, licenses: [{ license: { id: 'Apache-2.0' } }] };
  const cycloneDX = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: { component: { 'bom-ref': `${name}@${version}`, ...root } },
    components: components.map(({ purl, checksum, licence, ...named }) => ({
      type: 'library',
      'bom-ref': purl,
      ...named,
      purl,
      hashes: [{ alg: checksum.algorithm, content: checksum.hex }],
      ...(licence !== undefined && { licenses: [{ expression: licence }] }),
    })),
    dependencies: [{ ref: `${name}@${version}`, dependsOn: components.map(({ purl }) => purl) }],
  };
  const idOf = (purl: string) => `SPDXRef-${purl.replace(/^pkg:/, '').replaceAll(/[^\dA-Za-z.]+/g, '-')}`;
  const unknown = {
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    copyrightText: 'NOASSERTION',
    licenseConcluded: 'NOASSERTION',
  };
  const spdx = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${name}-${version}`,
    documentNamespace: `urn:uuid:${uuid}`,
    creationInfo: { created: '1970-01-01T00:00:00Z', creators: [`Tool: ${name}-build-image`] },
    documentDescribes: ['SPDXRef-image'],
    packages: [
      {
        name,
        SPDXID: 'SPDXRef-image',
        versionInfo: version,
        primaryPackagePurpose: 'CONTAINER',
        licenseDeclared: 'Apache-2.0',
        ...unknown,
      },
      ...components.map(({ purl, checksum, licence, version: versionInfo, name: named }) => ({
        name: named,
        SPDXID: idOf(purl),
        versionInfo,
        licenseDeclared: licence ?? 'NOASSERTION',
        ...unknown,
        checksums: [{ algorithm: checksum.algorithm.replace('-', ''), checksumValue: checksum.hex }],
        externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
      })),
    ],
    relationships: [
      { spdxElementId: 'SPDXRef-DOCUMENT', relatedSpdxElement: 'SPDXRef-image', relationshipType: 'DESCRIBES' },
      ...components.map(({ purl }) => ({
        spdxElementId: 'SPDXRef-image',
        relatedSpdxElement: idOf(purl),
        relationshipType: 'CONTAINS',
      })),
    ],
  };
  const text = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  return { cycloneDX: text(cycloneDX), spdx: text(spdx) };
}
