// What `npm run release` makes of the images and manifests that it is given, and when it refuses. test/interop/release.nightly.ts makes a whole
// release twice.
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { packageChart } from '../../../.config/release/chart.ts';
import { releaseFiles, type ReleaseInput } from '../../../.config/release/files.ts';
import { tagFindings, versionFindings } from '../../../.config/release/versions.ts';
import { readBuildFacts } from '../../../src/lib/build-facts.ts';
import { readText } from '../../support/checks/findings.ts';

const { version } = readBuildFacts();
const digest = `sha256:${'1'.repeat(64)}`;

const imageOf = (name: string) => ({
  name: `${name}:${version}`,
  digest,
  archive: Buffer.from(name),
  bills: { cycloneDX: '{}\n', spdx: '{}\n' },
});

const input: ReleaseInput = {
  version,
  images: [imageOf('rolealerts'), imageOf('rolealerts-service')],
  executable: { platform: 'linux-amd64', bytes: Buffer.from('executable') },
  registry: undefined,
  repository: undefined,
  kustomize: async (folder) => `# ${folder.split('/').at(-1)}\n        image: rolealerts:${version}\n`,
};

/** Of the ustar archive, by path. */
function entriesOf(archive: Uint8Array): ReadonlyMap<string, string> {
  const tar = gunzipSync(archive);
  const entries = new Map<string, string>();
  for (let at = 0; tar[at] !== 0;) {
    const textAt = (start: number, bytes: number) => tar.toString('utf8', at + start, at + start + bytes);
    const size = Number.parseInt(textAt(124, 11), 8);
    entries.set(textAt(0, 100).replace(/\0.*$/s, ''), textAt(512, size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}

const chartOf = (files: Awaited<ReturnType<typeof releaseFiles>>) =>
  entriesOf(files.get(`rolealerts-${version}.tgz`) as Uint8Array);

test('a release has the same files for the same input, and a checksum of each', async () => {
  const files = await releaseFiles(input);
  expect(await releaseFiles(input)).toEqual(files);
  const sums = [...files]
    .filter(([name]) => name !== 'SHA256SUMS')
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}`);
  expect(String(files.get('SHA256SUMS')).trimEnd().split('\n').toSorted()).toEqual(sums.toSorted());
  const notes = String(files.get('NOTES.md'));
  expect([...files.keys()].filter((name) => !notes.includes(`\`${name}\``))).toEqual(['NOTES.md']);
});

test('the notes say what is not reproducible and what no test shows', async () => {
  const notes = String((await releaseFiles(input)).get('NOTES.md'));
  expect(notes).toMatch(new RegExp(`\`rolealerts-${version}-linux-amd64\`.*\\*\\*Not reproducible\\*\\*`));
  expect(notes).toMatch(/^Not covered by the tests: .*registry, signatures and provenance, and the image on arm64\.$/m);
});

test('the package of the chart has the files of its folder, those behind links as well', async () => {
  const folder = 'deploy/helm/rolealerts';
  const entries = entriesOf(await packageChart(folder, (values) => values));
  const names = [...entries.keys()];
  expect(names).toEqual(
    expect.arrayContaining(['Chart.yaml', 'values.schema.json'].map((name) => `rolealerts/${name}`)),
  );
  expect(names).toContain('rolealerts/templates/_helpers.tpl');
  expect(entries.get('rolealerts/files/rules.yaml')).toBe(readText('deploy/monitoring/rules.yaml').text);
  expect(names.filter((name) => name.startsWith('rolealerts/files/crds/rolealerts.dev_'))).toHaveLength(3);
});

test('manifests and chart name the image as the archive does, or that of the registry by its digest', async () => {
  const local = await releaseFiles(input);
  expect(local.get('operator.yaml')).toBe(`# base\n        image: rolealerts:${version}\n`);
  const pushed = await releaseFiles({ ...input, registry: 'registry.example.net/team' });
  const image = `registry.example.net/team/rolealerts:${version}@${digest}`;
  expect(pushed.get('operator.yaml')).toBe(`# base\n        image: ${image}\n`);
  const values = [local, pushed].map((files) => parse(chartOf(files).get('rolealerts/values.yaml') ?? '') as object);
  expect(values).toMatchObject([
    { image: { repository: 'rolealerts', digest: '' } },
    { image: { repository: 'registry.example.net/team/rolealerts', digest } },
  ]);
});

test('rules and chart name the runbook by its path, or the page of the released version in the repository', async () => {
  const kustomize = async () => readText('deploy/monitoring/rules.yaml').text;
  const repository = 'https://git.example.net/team/rolealerts';
  const releases = [undefined, repository].map((each) => releaseFiles({ ...input, kustomize, repository: each }));
  const [local, published] = await Promise.all(releases);
  const pagesOf = (files: Awaited<ReturnType<typeof releaseFiles>> = new Map()) => {
    const urls = [...String(files.get('monitoring.yaml')).matchAll(/runbook_url: (.*)#/g)].map(([, page]) => page);
    const values = parse(chartOf(files).get('rolealerts/values.yaml') ?? '') as { prometheusRule: object };
    return { urls: [...new Set(urls)], values: values.prometheusRule };
  };
  const page = `${repository}/blob/v${version}/deploy/runbook.md`;
  expect(pagesOf(local)).toMatchObject({ urls: ['deploy/runbook.md'], values: { runbookURL: 'deploy/runbook.md' } });
  expect(pagesOf(published)).toMatchObject({ urls: [page], values: { runbookURL: page } });
  expect(String(published?.get('NOTES.md'))).toContain(`npm run release -- --dry-run --repository=${repository}\``);
});

/** The files of the checkout, of which one has another text. */
const withText = (changed: string, from: RegExp | string, to: string) => (file: string) => {
  const { text } = readText(file);
  return { file, text: file === changed ? text.replace(from, to) : text };
};

test.each([
  ['deploy/Dockerfile', 'image.version="'],
  ['deploy/helm/rolealerts/Chart.yaml', 'appVersion: '],
  ['crds/rolealerts.dev_rolealertpolicies.yaml', 'rolealerts.dev/version: '],
  ['.github/CHANGELOG.md', '## '],
])('a release is refused when %s names another version', (file, before) => {
  const read = withText(file, `${before}${version}`, `${before}9.9.9`);
  expect(versionFindings(version, read)).toEqual([expect.stringMatching(new RegExp(`^${file}:\\d+: 9\\.9\\.9$`))]);
});

test('a release is refused when the program names another version to services', () => {
  expect(versionFindings('9.9.9')[0]).toBe(`User-Agent: rolealerts/${version}`);
});

const commit = 'a'.repeat(40);
const dated = withText('.github/CHANGELOG.md', /\(unreleased\)|\(\d[\d-]*\)/, '(2026-12-01)');

test.each([
  ['another tag', 'v9.9.9', commit, dated, `the tag v9.9.9 is not v${version}`],
  ['changes in the checkout', `v${version}`, `${commit}-dirty`, dated, 'the commit is a+-dirty: release a commit'],
  [
    'a changelog without a date',
    `v${version}`,
    commit,
    withText('.github/CHANGELOG.md', /\(\d[\d-]*\)/, '(unreleased)'),
    '.github/CHANGELOG.md:\\d+: unreleased: write the date',
  ],
])('a release for a tag is refused with %s', (_, tag, of, read, finding) => {
  expect(tagFindings(tag, version, of, read)).toEqual([expect.stringMatching(finding)]);
  expect(tagFindings(`v${version}`, version, commit, dated)).toEqual([]);
});
