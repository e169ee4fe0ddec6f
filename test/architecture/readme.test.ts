// The checkable parts of the README: its tables, its commands, its files.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

import { describe, expect, it, test } from 'vitest';

import { fillTables, generatedPages } from '../../.config/tables.ts';

const root = new URL('../..', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

test.each(generatedPages)('the tables of %s are what npm run generate makes of the source', async (path) => {
  const text = await read(path);
  expect(text).toContain('<!-- table: ');
  expect(await fillTables(text), 'stale: run npm run generate and commit the result').toBe(text);
});

test('the README opens with what it is and the two commands', async () => {
  const text = await read('README.md');
  const [run, check] = ['npm ci && npm run demo', 'npm ci && npm test'].map((command) => text.indexOf(command));
  expect(run).toBeGreaterThan(0);
  expect(check).toBeGreaterThan(run ?? 0);
  expect(check).toBeLessThan(2000);
});

describe.each([
  'README.md',
  '.github/SECURITY.md',
  'src/README.md',
  'test/README.md',
  'deploy/README.md',
  ...generatedPages,
])('%s', (path) => {
  it('names only npm scripts that exist', async () => {
    const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
    const named = [...(await read(path)).matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names only files and folders that exist', async () => {
    const base = new URL(path, root);
    const text = await read(path);
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, target = '']) => target);
    const named = [...text.matchAll(/`((?:src|test|deploy|crds|\.config|\.ci)\/[\w./-]*)`/g)].map(
      ([, target = '']) => target,
    );
    expect(links.filter((target) => !existsSync(new URL(target, base)))).toEqual([]);
    expect(named.filter((target) => !existsSync(new URL(target, root)))).toEqual([]);
  });
});

test('the uninstall steps end the dismissals of every kind of connection before they delete it', async () => {
  const text = await read('deploy/README.md');
  const steps = text.slice(text.indexOf('## Uninstall'), text.indexOf('## Permissions'));
  const files = (await readdir(new URL('crds/', root))).filter((file) => file.endsWith('connections.yaml'));
  const kinds = files.map((file) => file.replace(/^rolealerts[.]dev_|[.]yaml$/g, ''));
  expect(kinds).toContain('clusterrolealertconnections');
  for (const verb of ['get', 'delete']) {
    const named = steps.match(new RegExp(`kubectl ${verb} (\\S*connections) `))?.[1]?.split(',');
    expect(named?.toSorted()).toEqual(kinds.toSorted());
  }
});

test.each(['connection', 'cluster-connection'])('the sample %s uses the Secret of the samples', async (name) => {
  const [secret, sample] = await Promise.all(['secret', name].map((file) => read(`deploy/samples/${file}.yaml`)));
  const secretName = /^ {2}name: (\S+)$/m.exec(secret ?? '')?.[1];
  const key = /^stringData:\n {2}(\S+):/m.exec(secret ?? '')?.[1];
  expect(sample).toContain(`SecretRef: {name: ${secretName}, key: ${key}}`);
});

test('the map of the alerts service has every file of it', async () => {
  const text = await read('src/service/README.md');
  const named = new Set(text.slice(text.indexOf('## Map'), text.indexOf('## Options')).match(/(?<=`)[^`]+(?=`)/g));
  const files = await readdir(new URL('src/service/', root), { recursive: true });
  const isNamed = (file: string) => named.has(file) || file.startsWith('openapi/');
  expect(files.filter((file) => file.endsWith('.ts') && !isNamed(file))).toEqual([]);
});

test('the lockfile records no download addresses', async () => {
  expect(await read('package-lock.json')).not.toMatch(/"resolved"/);
});

test('every dependency is pinned to one version', async () => {
  const { dependencies, devDependencies } = JSON.parse(await read('package.json')) as Record<
    string,
    Record<string, string>
  >;
  const versions = Object.values({ ...dependencies, ...devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(?:-beta\.\d+)?$/.test(version))).toEqual([]);
});

test('the top level holds nothing that was not agreed on', async () => {
  const agreed = new Set([
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
