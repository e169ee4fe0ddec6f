// The files of a release. All but the executable depend only on the commit, the registry and the repository.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import type { BuiltImage } from '../build-image.ts';
import { packageChart } from './chart.ts';
import { newestChanges } from './versions.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface ReleaseInput {
  readonly version: string;
  /** The images of the operator and of the alerts service. */
  readonly images: readonly [BuiltImage, BuiltImage];
  readonly executable: { readonly platform: string; readonly bytes: Uint8Array };
  /** Such as `ghcr.io/owner`. Without it, the manifests name the image as the archive does. */
  readonly registry: string | undefined;
  /** The address of the repository, such as `https://github.com/owner/rolealerts`. Without it, the alerting rules name the runbook by its path. */
  readonly repository: string | undefined;
  /** The manifests of a folder, as `kubectl kustomize` prints them. */
  readonly kustomize: (folder: string) => Promise<string>;
}

interface Content {
  readonly name: string;
  readonly what: string;
  readonly bytes: Uint8Array | string;
}

const folders = [
  ['crds.yaml', 'crds', 'the custom resources: apply them first, with `--server-side`'],
  ['operator.yaml', 'deploy/base', 'the operator'],
  ['monitoring.yaml', 'deploy/monitoring', 'a ServiceMonitor, alerting rules and a dashboard'],
  ['alerts-service.yaml', 'deploy/alerts-service', 'the operator with the alerts service, for a trial'],
] as const;

/** In the repository. */
const runbook = 'deploy/runbook.md';

/** Name → content. SHA256SUMS has the checksums of all others. */
export async function releaseFiles(input: ReleaseInput): Promise<ReadonlyMap<string, Uint8Array | string>> {
  const contents = [...imageContents(input.images), ...(await manifestContents(input)), executableContent(input)];
  const files = new Map(contents.map(({ name, bytes }) => [name, bytes]));
  files.set('NOTES.md', notesOf(input, contents));
  const sums = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return files.set('SHA256SUMS', sums.map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`).join(''));
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

function imageContents(images: readonly BuiltImage[]): readonly Content[] {
  return images.flatMap(({ name, digest, archive, bills }) => {
    const base = name.replace(':', '-');
    return [
      {
        name: `${base}.tar`,
        what: `the image \`${name}\` for amd64 and arm64, an OCI archive: \`${digest}\``,
        bytes: archive,
      },
      { name: `${base}.cdx.json`, what: 'its bill of materials as CycloneDX', bytes: bills.cycloneDX },
      { name: `${base}.spdx.json`, what: 'its bill of materials as SPDX', bytes: bills.spdx },
    ];
  });
}

async function manifestContents(input: ReleaseInput): Promise<readonly Content[]> {
  const { version, images, registry, repository, kustomize } = input;
  const [{ name, digest }] = images;
  const imageRepository = registry === undefined ? 'rolealerts' : `${registry}/rolealerts`;
  const image = registry === undefined ? name : `${imageRepository}:${version}@${digest}`;
  const page = repository === undefined ? runbook : `${repository}/blob/v${version}/${runbook}`;
  const contents: Content[] = [];
  for (const [file, folder, what] of folders) {
    const manifests = (await kustomize(`${root}${folder}`))
      .replaceAll(`image: ${name}\n`, `image: ${image}\n`)
      .replaceAll(`runbook_url: ${runbook}#`, `runbook_url: ${page}#`);
    contents.push({ name: file, what, bytes: manifests });
  }
  const chart = await packageChart(`${root}deploy/helm/rolealerts`, (values) =>
    [
      ['  repository: rolealerts\n', `  repository: ${imageRepository}\n`],
      ['  digest: ""\n', `  digest: ${registry === undefined ? '""' : digest}\n`],
      [`  runbookURL: ${runbook}\n`, `  runbookURL: ${page}\n`],
    ].reduce((text, [from = '', to = '']) => edited(text, from, to), values),
  );
  return [...contents, { name: `rolealerts-${version}.tgz`, what: 'the Helm chart', bytes: chart }];
}

function edited(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`the values of the chart have not one line ${from.trim()}`);
  return text.replace(from, to);
}

function executableContent({ version, executable: { platform, bytes } }: ReleaseInput): Content {
  const what = `the command line for ${platform}, a plugin of kubectl as \`kubectl-rolealerts\`. **Not reproducible**: Node adds a code cache, which differs with each build`;
  return { name: `rolealerts-${version}-${platform}`, what, bytes };
}

function notesOf({ version, registry, repository }: ReleaseInput, contents: readonly Content[]): string {
  const options = Object.entries({ registry, repository })
    .map(([name, value]) => (value === undefined ? '' : ` --${name}=${value}`))
    .join('');
  return `${newestChanges()}

| file | content |
|---|---|
${contents.map(({ name, what }) => `| \`${name}\` | ${what} |`).join('\n')}

\`SHA256SUMS\` has the checksum of each file. On Debian 12, a checkout of v${version} gives the same ones, but for the executable: \`npm ci && npm run release -- --dry-run${options}\`.
\`SECURITY.md\` says how to verify signatures and provenance.

Not covered by the tests: the push to a registry, signatures and provenance, and the image on arm64.
`;
}
