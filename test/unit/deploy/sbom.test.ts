// The bills of materials: every package of the bundle, also one that a development dependency needs as well, and what else is in the image.
import { expect, test } from 'vitest';

import { billsOf, componentsOf } from '../../../.config/image/sbom.ts';

const modules = [
  'src/main.ts',
  '/checkout/node_modules/pg/lib/index.js',
  '/checkout/node_modules/pg/lib/client.js',
  '/checkout/node_modules/@kubernetes/client-node/dist/config.js',
];
const components = componentsOf(modules, '26.10.0');
const bills = billsOf(components, { name: 'rolealerts', version: '1.2.3' });

test('lists each package once, with version, licence and checksum', () => {
  const npm = components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
  expect(npm.map(({ name, licence }) => `${name} ${licence}`)).toEqual([
    '@kubernetes/client-node Apache-2.0',
    'pg MIT',
  ]);
  expect(npm.every(({ checksum }) => /^[\da-f]{128}$/.test(checksum.hex))).toBe(true);
});

test('lists Node and the libraries for both architectures', () => {
  const names = components.map(({ name }) => name);
  for (const each of ['node', 'libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1']) {
    expect(names.filter((name) => name === each)).toHaveLength(2);
  }
});

test('fails for a package that the lockfile does not have', () => {
  expect(() => componentsOf(['/checkout/node_modules/unknown/index.js'], '26.10.0')).toThrow(/node_modules\/unknown$/);
});

test('both formats have all components, and every reference names one', () => {
  const { components: listed, dependencies } = JSON.parse(bills.cycloneDX) as {
    components: { 'bom-ref': string }[];
    dependencies: [{ dependsOn: string[] }];
  };
  const references = listed.map((each) => each['bom-ref']);
  expect(new Set(references).size).toBe(components.length);
  expect(dependencies[0].dependsOn).toEqual(references);
  const { packages, relationships } = JSON.parse(bills.spdx) as {
    packages: { SPDXID: string }[];
    relationships: { relatedSpdxElement: string }[];
  };
  const ids = packages.map(({ SPDXID }) => SPDXID);
  expect(new Set(ids).size).toBe(components.length + 1);
  expect(relationships.map(({ relatedSpdxElement }) => relatedSpdxElement)).toEqual(ids);
});
