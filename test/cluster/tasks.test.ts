// The pages of deploy/tasks, word by word in a folder of their own, on a real API server with the alerts service and the operator that the first
// page starts. What runs as pods only is in pods/pages.test.ts.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { root } from '../support/checks/findings.ts';
import { installProgram } from '../support/rigs/help-examples.ts';
import { type Follower, startFollower } from '../support/rigs/page-blocks.ts';
import { programEnvironment } from '../support/rigs/program.ts';
import { describeWithOwnControlPlane } from '../support/servers/control-plane.ts';
import { freePort } from '../support/servers/free-port.ts';

const pages = [
  'local',
  'first-policy',
  'import',
  'dismiss',
  'team-scopes',
  'preview',
  'not-ready',
  'freeze',
  'backup',
  'rotate',
  'emulator',
];
/** pods/pages.test.ts runs these. */
const withPods = ['install', 'upgrade', 'uninstall'];

test('every page of a task is run', () => {
  const found = readdirSync(new URL('deploy/tasks', root)).flatMap((file) => /^(.*)\.md$/.exec(file)?.[1] ?? []);
  expect(found.toSorted()).toEqual([...pages, ...withPods].toSorted());
});

describeWithOwnControlPlane('the pages of the tasks', (controlPlane) => {
  let directory = '';
  let follower: Follower;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rolealerts-tasks-'));
    const bin = join(directory, 'bin');
    installProgram(bin);
    symlinkSync(controlPlane.kubectlPath, join(bin, 'kubectl'));
    mkdirSync(join(directory, 'home'));
    const env = {
      ...programEnvironment(),
      CHECKOUT: root.pathname.replace(/\/$/, ''),
      HOME: join(directory, 'home'),
      KUBECONFIG: controlPlane.kubeconfigPath,
      KUBECACHEDIR: join(controlPlane.scratchDirectory, 'kubectl-cache'),
      PATH: [bin, process.env['PATH']].join(delimiter),
    };
    const ports = new Map(await Promise.all([8000, 8002, 8003].map(async (port) => [port, await freePort()] as const)));
    follower = startFollower({ directory, env }, (script) =>
      [...ports].reduce((text, [port, free]) => text.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${free}`), script),
    );
  });
  afterAll(async () => {
    await follower.end();
    rmSync(directory, { recursive: true });
  });

  test.each(pages)('%s', async (name) => {
    expect(await follower.follow(`deploy/tasks/${name}.md`)).toEqual([]);
  });
});
