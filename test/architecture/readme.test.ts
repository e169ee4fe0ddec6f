// The checkable parts of the README: its tables, its commands, its files.
import { existsSync, globSync } from 'node:fs';
import { readdir } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { fillTables, generatedPages } from '../../.config/tables.ts';
import { samples } from '../../src/local/demo/samples.ts';
import { endpointPaths } from '../../src/service/http/resource-path.ts';
import { findingsIn, readText, root, staleIn } from '../support/checks/findings.ts';

const read = (path: string) => readText(path).text;

const pages = [
  'README.md',
  '.github/SECURITY.md',
  '.github/CONTRIBUTING.md',
  '.github/CHANGELOG.md',
  'src/README.md',
  'src/service/README.md',
  ...globSync('src/decisions/*.md', { cwd: root }).sort(),
  'test/README.md',
  'deploy/README.md',
  'deploy/helm/rolealerts/README.md',
  'deploy/alerts-service/README.md',
  ...globSync('deploy/tasks/*.md', { cwd: root }),
  ...generatedPages,
].map(readText);

test('the tables of the reference pages are what npm run generate makes of the source', async () => {
  const found = generatedPages.map(readText).map(async (page) => {
    expect(page.text, `tables of ${page.file}`).toContain('<!-- table: ');
    return staleIn(page, await fillTables(page.text));
  });
  expect((await Promise.all(found)).flat()).toEqual([]);
});

test('the README opens with what it is and the two commands', () => {
  const text = read('README.md');
  const [run, check] = ['npm ci && npm run demo', 'npm ci && npm test'].map((command) => text.indexOf(command));
  expect(run).toBeGreaterThan(0);
  expect(check).toBeGreaterThan(run ?? 0);
  expect(check).toBeLessThan(2000);
});

test('the picture of the README shows every sample as the demo leaves it', () => {
  const picture = read('deploy/demo.svg').replaceAll(/<[^>]+>/g, '');
  for (const { name, shows, after } of samples) {
    const [ready = '', reason = ''] = after.conditions['Ready']?.split('/') ?? [];
    expect(picture).toMatch(new RegExp(`^${name} ${shows} ${ready} ${reason} .* \\w+$`, 'm'));
  }
});

test('every npm script that a page names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = /npm run (?:-s )?([a-z][a-z:-]*)/g;
  const found = pages.flatMap((page) =>
    findingsIn(page, named, ([, name = '']) => (name in scripts ? undefined : `no such script: ${name}`)),
  );
  expect(found).toEqual([]);
});

test('every file and folder that a page links or names exists', () => {
  const links = /\]\((?!https?:|#)([^)#]+)[^)]*\)/g;
  const named = /`((?:src|test|deploy|crds|\.config|\.ci)\/[\w./-]*)`/g;
  const lostFrom = (base: URL, target: string) =>
    existsSync(new URL(target, base)) ? undefined : `no such file: ${target}`;
  const found = pages.flatMap((page) => [
    ...findingsIn(page, links, ([, target = '']) => lostFrom(new URL(page.file, root), target)),
    ...findingsIn(page, named, ([, target = '']) => lostFrom(root, target)),
  ]);
  expect(found).toEqual([]);
});

test('the uninstall steps delete every kind of connection, which ends its dismissals, before the operator', async () => {
  const steps = read('deploy/tasks/uninstall.md');
  const files = (await readdir(new URL('crds/', root))).filter((file) => file.endsWith('connections.yaml'));
  const kinds = files.map((file) => file.replace(/^rolealerts[.]dev_|[.]yaml$/g, ''));
  expect(kinds).toContain('clusterrolealertconnections');
  const named = /kubectl delete (\S*connections) /.exec(steps)?.[1]?.split(',');
  expect(named?.toSorted()).toEqual(kinds.toSorted());
});

test('the samples of connections use the Secret of the samples, and name what a service decides', () => {
  const secret = read('deploy/samples/secret.yaml');
  const secretName = /^ {2}name: (\S+)$/m.exec(secret)?.[1];
  const key = /^data:\n {2}(\S+):/m.exec(secret)?.[1];
  for (const name of ['connection', 'cluster-connection']) {
    const sample = read(`deploy/samples/${name}.yaml`);
    expect(sample, `sample ${name}`).toContain(`SecretRef: {name: ${secretName}, key: ${key}}`);
    expect(sample, `sample ${name}`).toMatch(/^ {4}providerNamespace: \S/m);
    expect(sample, `sample ${name}`).toContain(`${endpointPaths.token} of its baseURL`);
  }
});

test('the lockfile records no download addresses', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved"/);
});

test('every dependency is pinned to one version', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const versions = Object.values({ ...dependencies, ...devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(?:-beta\.\d+)?$/.test(version))).toEqual([]);
});

test('the decision about dependencies names each of them', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, object>;
  const page = read('src/decisions/0015-dependencies-and-the-bundle.md');
  const names = Object.keys({ ...dependencies, ...devDependencies });
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('the top level holds nothing that was not agreed on', async () => {
  const agreed = new Set([
    'LICENSE',
    'README.md',
    'crds',
    'deploy',
    'dist',
    'node_modules',
    'package-lock.json',
    'package.json',
    'src',
    'test',
    'tsconfig.json',
  ]);
  const present = (await readdir(root)).filter((name) => !name.startsWith('.'));
  expect(present.filter((name) => !agreed.has(name))).toEqual([]);
});
