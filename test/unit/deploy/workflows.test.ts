// The workflows and actions of the project: what they run is there, and they run it with no more rights than they need. `npm run check:pipelines`
// checks them with actionlint.
import { globSync } from 'node:fs';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { findingsIn, readText, root } from '../../support/checks/findings.ts';

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly permissions?: object; readonly steps?: readonly Step[] }>>;
}

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

const workflows = globSync('.github/workflows/*', { cwd: root }).map((file) => readText(file));
const all = [...workflows, ...globSync('.github/actions/*/*.yml', { cwd: root }).map((file) => readText(file))];
const jobsOf = (text: string) => Object.entries((parse(text) as Workflow).jobs);

test('every action is of this repository, or pinned by the commit of a version', () => {
  const isPinned = (uses: string) => /^\.\/|^[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(uses);
  const unpinned = all.flatMap((file) =>
    findingsIn(file, /uses: (.*)/g, ([, uses = '']) => (isPinned(uses) ? undefined : uses)),
  );
  expect(unpinned).toEqual([]);
});

test('every npm script that they run is in package.json', () => {
  const { scripts } = JSON.parse(readText('package.json').text) as { scripts: Record<string, string> };
  const unknown = all.flatMap((file) =>
    findingsIn(file, /npm run ([\w:-]+)/g, ([, name = '']) => (name in scripts ? undefined : name)),
  );
  expect(unknown).toEqual([]);
});

test('a job has only the permissions that it names, and keeps no credentials of its checkout', () => {
  for (const { text } of workflows) {
    expect((parse(text) as Workflow).permissions).toEqual({});
    for (const [, { permissions, steps = [] }] of jobsOf(text)) {
      expect(permissions).toBeDefined();
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
    }
  }
});

test('a job that may publish runs no code of the checkout or of a dependency', () => {
  const release = readText('.github/workflows/release.yaml').text;
  const publishing = jobsOf(release).filter(([, { permissions }]) => JSON.stringify(permissions).includes('write'));
  expect(publishing.map(([name]) => name)).toEqual(['images', 'files']);
  expect(JSON.stringify(publishing)).not.toMatch(/checkout|npm|\.\/|actions\/cache/);
});
