// deploy/pipelines/preview.ts as the process of a job, with the API of GitHub on loopback.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { connectionYaml, startPreviewRig } from '../support/rigs/preview-rig.ts';
import { staticToken } from '../support/servers/alerts-service.ts';

const script = fileURLToPath(new URL('../../deploy/pipelines/preview.ts', import.meta.url));
const valid = `apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertPolicy
metadata: { name: owners }
spec:
  connectionRef: { name: prod }
  scope: subscriptions/a
  alerts: [{ name: Owners, state: Active }]
`;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-preview-'));
  await writeFile(join(folder, 'policy.yaml'), valid);
  await writeFile(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 3 } }));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the job in the folder. */
async function runJob(environment: Readonly<Record<string, string>>) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ROLEALERTS_|GITHUB_|GITLAB_|CI)/.test(name));
  const env = { ...Object.fromEntries(inherited), PREVIEW_PATHS: 'policy.yaml', ...environment };
  const child = spawn(process.execPath, [script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, stdout, stderr };
}

/** The comments of one pull request behind the API of GitHub. */
async function startGitHub() {
  const comments: { id: number; body: string; user: { login: string } }[] = [];
  const server = createServer((request, response) => void answerTo(request, response));
  const answerTo = async (request: IncomingMessage, response: ServerResponse) => {
    const answer = (body: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (request.method === 'GET') return answer(request.url?.endsWith('page=1') ? comments : []);
    const { body } = (await json(request)) as { body: string };
    const known = comments.find(({ id }) => request.url?.endsWith(`/comments/${id}`));
    if (known) known.body = body;
    else comments.push({ id: comments.length + 1, body, user: { login: 'github-actions[bot]' } });
    return answer({});
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { comments, url: `http://127.0.0.1:${port}` };
}

describe('a job that plans', () => {
  async function startJob(isActive: boolean) {
    const rig = await startPreviewRig({ 'subscriptions/a': [{ name: 'Owners', isActive }] });
    const gitHub = await startGitHub();
    await writeFile(join(folder, 'connection.yaml'), connectionYaml(rig.proxy.url));
    const environment = {
      PREVIEW_PATHS: 'policy.yaml\nconnection.yaml',
      PREVIEW_ALLOWED_HOSTS: '127.0.0.1',
      PREVIEW_COMMENT_TOKEN: 'canary-comment-token',
      GITHUB_API_URL: gitHub.url,
      GITHUB_REPOSITORY: 'team/policies',
      GITHUB_EVENT_PATH: 'event.json',
      GITHUB_OUTPUT: 'output.txt',
      GITHUB_STEP_SUMMARY: 'summary.md',
      ROLEALERTS_TOKEN: staticToken,
      ROLEALERTS_ALLOW_HTTP: 'true',
      ROLEALERTS_ALLOW_PRIVATE_ENDPOINTS: 'true',
    };
    const run = (change: Readonly<Record<string, string>> = {}) => runJob({ ...environment, ...change });
    return { rig, comments: gitHub.comments, run };
  }

  it('comments what would change, and updates that comment', async () => {
    const { rig, comments, run } = await startJob(false);
    const first = await run();
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('preview: comment created\n') });
    expect(comments.map(({ body }) => body)).toEqual([
      expect.stringMatching(/^<!-- rolealerts preview default -->\n### rolealerts plan\n[^]*Owners/),
    ]);
    expect(await readFile(join(folder, 'output.txt'), 'utf8')).toBe('changes=true\n');
    expect(`<!-- rolealerts preview default -->\n${await readFile(join(folder, 'summary.md'), 'utf8')}`).toBe(
      comments[0]?.body,
    );

    await writeFile(join(folder, 'policy.yaml'), valid.replace('spec:', 'spec:\n  mode: Observe'));
    expect(await run()).toMatchObject({ code: 0, stderr: expect.stringContaining('preview: comment updated\n') });
    expect(comments.length).toBe(1);
    expect(await readFile(join(folder, 'output.txt'), 'utf8')).toBe('changes=true\nchanges=false\n');
    expect(rig.proxy.count('patch')).toBe(0);
  });

  it('plans despite a dismissal that has ended: time makes that warning, not the pull request', async () => {
    const { comments, run } = await startJob(true);
    const ended =
      '{ name: Owners, state: Inactive, dismissal: { reason: tracked in SEC-1, until: "2020-01-01T00:00:00Z" } }';
    await writeFile(join(folder, 'policy.yaml'), valid.replace('{ name: Owners, state: Active }', ended));
    const { code, stdout } = await run();
    expect([code, stdout]).toEqual([0, expect.stringContaining('the dismissal of Owners has ended')]);
    expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('0 deactivations, 0 activations')]);
  });

  it('says in the comment that invalid manifests are not planned', async () => {
    const { rig, comments, run } = await startJob(false);
    await writeFile(join(folder, 'policy.yaml'), valid.replace('Active', 'active'));
    expect(await run()).toMatchObject({ code: 1 });
    expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('the manifests are not valid')]);
    expect(await readFile(join(folder, 'output.txt'), 'utf8')).toBe('changes=unknown\n');
    expect(rig.proxy.requests).toEqual([]);
  });

  it('ends with 1 and says so in the comment when the hosts do not allow the service', async () => {
    const { rig, comments, run } = await startJob(true);
    const { code, stdout, stderr } = await run({ PREVIEW_ALLOWED_HOSTS: 'alerts.example' });
    expect([code, rig.proxy.requests]).toEqual([1, []]);
    expect(comments[0]?.body).toContain('HostNotAllowed');
    expect(await readFile(join(folder, 'output.txt'), 'utf8')).toBe('changes=unknown\n');
    expect(`${stdout}${stderr}${comments[0]?.body}`).not.toContain('canary-comment-token');
  });
});

describe('a link in a pull request with the name of a report', () => {
  it.each([
    ['rolealerts-plan.md', { PREVIEW_ALLOWED_HOSTS: 'a', GITHUB_OUTPUT: '' }],
    ['rolealerts-validate.xml', { PREVIEW_PLAN: 'false', GITLAB_CI: 'true' }],
  ])('%s is replaced, and never followed', async (name, environment) => {
    await writeFile(join(folder, 'target'), 'kept');
    await symlink('target', join(folder, name));
    await runJob({ ...environment });
    expect(await readFile(join(folder, 'target'), 'utf8')).toBe('kept');
    expect(await readFile(join(folder, name), 'utf8')).not.toBe('kept');
  });
});

describe('a job that validates', () => {
  const validates = { PREVIEW_PLAN: 'false' };

  it('ends with 1 for others, and shows the problems beside the lines on GitHub', async () => {
    await writeFile(join(folder, 'policy.yaml'), valid.replace('Active', 'active'));
    const { code, stdout } = await runJob(validates);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^::error file=policy.yaml,line=7,col=\d+,/);
  });

  it('writes a report of tests on GitLab, and the problems to the log', async () => {
    await writeFile(join(folder, 'policy.yaml'), valid.replace('Active', 'active'));
    const { code, stdout } = await runJob({ ...validates, GITLAB_CI: 'true' });
    expect([code, stdout.split(':')[0]]).toEqual([1, 'policy.yaml']);
    expect(await readFile(join(folder, 'rolealerts-validate.xml'), 'utf8')).toContain('failures="1"');
  });

  it('ends with 1 and one sentence for a wrong setting', async () => {
    const { code, stderr } = await runJob({ ...validates, PREVIEW_STRICT: 'no' });
    expect([code, stderr]).toEqual([1, 'preview: PREVIEW_STRICT is "no": write true or false\n']);
  });
});
