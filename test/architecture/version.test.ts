// The version of the program is in package.json. Other files that name it, such as image tags, name the same one.
import { expect, test } from 'vitest';

import { findingsIn, readText } from '../support/checks/findings.ts';

const read = (file: string) => readText(file).text;

/** How many times each file names the version, as the tag of an image or otherwise. */
const naming = [
  ['package-lock.json', 2, /"name": "rolealerts",\s+"version": "([^"]+)"/g],
  ['crds/rolealerts.dev_rolealertpolicies.yaml', 1, /rolealerts\.dev\/version: (\S+)/g],
  ['crds/rolealerts.dev_rolealertconnections.yaml', 1, /rolealerts\.dev\/version: (\S+)/g],
  ['crds/rolealerts.dev_clusterrolealertconnections.yaml', 1, /rolealerts\.dev\/version: (\S+)/g],
  ['.github/CHANGELOG.md', 1, /^# Changelog[\s\S]*?^## (\d\S*)/gm],
  ['deploy/helm/rolealerts/Chart.yaml', 2, /^(?:version|appVersion): (\S+)/gm],
  ['deploy/base/kustomization.yaml', 1, /newTag: (\S+)/g],
  ['deploy/alerts-service/kustomization.yaml', 1, /newTag: (\S+)/g],
  ['deploy/argocd/application.yaml', 3, /(?:rolealerts:|targetRevision: v)(\d\S*)/g],
  ['deploy/flux/rolealerts.yaml', 2, /(?:newTag: |tag: v)(\d\S*)/g],
  ['deploy/Dockerfile', 3, /rolealerts(?:-service)?:(\d\S*)/g],
  ['deploy/Dockerfile', 1, /image\.version="([^"]*)"/g],
  ['deploy/reference/emulator.md', 2, /rolealerts(?:-service)?:(\d[^\s)`]*)/g],
  ['deploy/README.md', 3, /rolealerts(?:-service)?:(\d[^\s)]*)/g],
  ['deploy/README.md', 2, /rolealerts-(\d[\d.]*\d)\.tar/g],
] as const;

test('every file that names a version names the one of package.json', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const found = naming.flatMap(([file, count, pattern]) => {
    const matches = findingsIn(readText(file), pattern, ([, each = '']) => each);
    const others = findingsIn(readText(file), pattern, ([, each = '']) => (each === version ? undefined : each));
    return matches.length === count ? others : [`${file}: names ${matches.length} versions, not ${count}`, ...others];
  });
  expect(found).toEqual([]);
});

test('the lockfile has no install scripts but those that package.json allows or denies by name', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
  const scripted = Object.keys(packages).filter((name) => packages[name]?.hasInstallScript === true);
  expect(scripted.map((name) => name.replace('node_modules/', ''))).toEqual(Object.keys(allowScripts));
  expect(Object.keys(allowScripts).filter((name) => allowScripts[name])).toEqual(['node']);
});
