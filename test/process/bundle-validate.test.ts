// The bundle validates with functions that were compiled while it was built. It must find what the sources find.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it, onTestFinished } from 'vitest';

import { problemJson } from '../../src/commands/findings/problem-report.ts';
import { checkFiles } from '../../src/commands/manifests/check-files.ts';
import { mutatedManifests } from '../support/builders/mutated-manifests.ts';
import { crdCases } from '../support/checks/crd-cases.ts';
import { programFile } from '../support/rigs/program.ts';

it('finds the same problems in 300 manifests with random changes', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'rolealerts-bundle-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const items = crdCases.flatMap(({ cases }) => mutatedManifests([cases.base], 100, 7));
  const name = join(directory, 'manifests.json');
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await writeFile(name, text);
  const report = checkFiles([{ name, text, isNamed: true }], 0);
  expect(report.problems.length).toBeGreaterThan(300);
  const args = [programFile, 'validate', '-o', 'json', '-f', name];
  const found = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 }).catch((error: unknown) => error);
  expect(found).toMatchObject({ code: 1, stdout: problemJson(report) });
});
