// The Go module that pins the programs, and the constants that name their version, say the same.
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { kubernetesVersion } from '../../../src/local/binaries.ts';
import { officialRelease } from '../../../src/local/release-binaries.ts';

const directory = new URL('../../../src/local/control-plane/', import.meta.url);
const goMod = readFileSync(new URL('go.mod', directory), 'utf8');
const goSum = readFileSync(new URL('go.sum', directory), 'utf8');

test('go.mod requires the version that the cache folder is named after', () => {
  expect(goMod).toContain(`k8s.io/kubernetes ${kubernetesVersion}`);
  expect(goSum).toContain(`k8s.io/kubernetes ${kubernetesVersion} h1:`);
});

test('every staging module is replaced by the same release', () => {
  const staging = kubernetesVersion.replace('v1.', 'v0.');
  const replaced = [...goMod.matchAll(/^\t(k8s\.io\/\S+) => (\S+) (\S+)$/gm)];
  expect(replaced.length).toBeGreaterThan(25);
  for (const [, name, target, version] of replaced) expect([name, target, version]).toEqual([name, name, staging]);
});

test('the release that is downloaded has the same minor version, and a whole checksum for every platform', () => {
  const minor = kubernetesVersion.replace(/\.\d+$/, '.');
  expect(officialRelease.version.startsWith(minor)).toBe(true);
  for (const hex of Object.values(officialRelease.archiveSha512)) expect(hex).toMatch(/^[0-9a-f]{128}$/);
  expect(Object.keys(officialRelease.archiveSha512)).toContain('linux-amd64');
});
