// The version of the program is in package.json. Other files that name it, such as image tags, name the same one.
import { userAgentOf } from '../../src/lib/build-facts.ts';
import { findingsIn, readText, type TextFile } from '../../test/support/checks/findings.ts';

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
  ['deploy/tasks/install.md', 3, /rolealerts:(\d[^\s)]*)/g],
  ['deploy/tasks/install.md', 2, /rolealerts-(\d[\d.]*\d)\.tar/g],
  ['.github/SECURITY.md', 1, /refs\/tags\/v(\d\S*)/g],
] as const;

type Read = (file: string) => TextFile;

/** A finding for each version that is not the one of package.json. */
export function versionFindings(version: string, read: Read = readText): readonly string[] {
  const agent = userAgentOf('rolealerts');
  const counts = naming.flatMap(([file, count, pattern]) => {
    const found = [...read(file).text.matchAll(pattern)].length;
    return found === count ? [] : [`${file}: names ${found} versions, not ${count}`];
  });
  const others = naming.flatMap(([file, , pattern]) =>
    findingsIn(read(file), pattern, ([, each = '']) => (each === version ? undefined : each)),
  );
  return [...(agent === `rolealerts/${version}` ? [] : [`User-Agent: ${agent}`]), ...counts, ...others];
}

/** What prevents a release for this tag. `commit`: as `git describe --dirty` names it. */
export function tagFindings(tag: string, version: string, commit: string, read: Read = readText): readonly string[] {
  const changelog = read('.github/CHANGELOG.md');
  return [
    ...(tag === `v${version}` ? [] : [`the tag ${tag} is not v${version}`]),
    ...(/^[\da-f]{40}$/.test(commit) ? [] : [`the commit is ${commit}: release a commit without changes`]),
    ...findingsIn(changelog, /^## \S+ \((unreleased)\)$/gm, () => 'unreleased: write the date'),
  ];
}

/** The section of the changelog about the newest version, without its heading. */
export function newestChanges(read: Read = readText): string {
  const [, newest = ''] = read('.github/CHANGELOG.md').text.split(/^## .*$/m);
  return newest.trim();
}
