// The commands of deploy/pipelines/gitlab.yml, run by a shell: they fetch a version of the clone, install it, and run the preview.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

interface Job {
  readonly before_script: readonly string[];
  readonly script: readonly string[];
}

const template = new URL('../../deploy/pipelines/gitlab.yml', import.meta.url);
const documents = parseAllDocuments(readFileSync(template, 'utf8')).map((document): unknown => document.toJS());
const { 'rolealerts-preview': job } = documents[1] as Readonly<Record<string, Job>>;

let folder: string;
let clone: string;

const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', clone, '-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], {
    encoding: 'utf8',
  });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rolealerts-gitlab-'));
  clone = join(folder, 'clone');
  mkdirSync(join(clone, 'deploy/pipelines'), { recursive: true });
  git('init', '--quiet');
  // As GitLab and GitHub allow it.
  git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  for (const version of ['first', 'second']) {
    writeFileSync(join(clone, 'deploy/pipelines/preview.ts'), `console.log('${version}');`);
    git('add', '.');
    git('commit', '--quiet', '-m', version);
    git('tag', version);
  }
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/npm'), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

function runJob(version: string): string {
  const place = mkdtempSync(join(folder, 'job-'));
  const commands = [...(job?.before_script ?? []), ...(job?.script ?? [])]
    .join('\n')
    .replaceAll('/tmp/rolealerts', join(place, 'rolealerts'));
  const env = { ...process.env, PATH: `${folder}/bin:${process.env['PATH']}`, REPOSITORY: clone, VERSION: version };
  return execFileSync('/bin/sh', ['-e', '-c', commands], { cwd: place, env, encoding: 'utf8' }).replaceAll(place, '');
}

it.each([
  ['a tag', () => 'first', 'first'],
  ['a branch', () => git('symbolic-ref', '--short', 'HEAD').trim(), 'second'],
  ['a commit', () => git('rev-parse', 'first').trim(), 'first'],
])('run the preview of %s', (_, versionOf, shown) => {
  expect(runJob(versionOf())).toBe(`npm ci --omit=dev --ignore-scripts --prefix /rolealerts\n${shown}\n`);
});

it('end with an error for a version that does not exist', () => {
  expect(() => runJob('third')).toThrow(/third/);
});
