// `rolealerts plan` against the alerts service: what it sends, where it takes credentials from, its formats and exit codes.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import {
  connectionYaml,
  declaredActive,
  dismissed,
  policyYaml,
  secretYaml,
  startPreviewRig,
} from '../support/rigs/preview-rig.ts';
import { staticToken } from '../support/servers/alerts-service.ts';

const scope = 'subscriptions/a';

async function startWith(alerts: string, isActive: boolean, files: Readonly<Record<string, string>> = {}) {
  const rig = await startPreviewRig({ [scope]: [{ name: 'Owners', isActive }] });
  await rig.write('policy.yaml', policyYaml('owners', scope, alerts));
  await rig.write('connection.yaml', connectionYaml(rig.proxy.url));
  for (const [name, text] of Object.entries(files)) await rig.write(name, text);
  return rig;
}

describe('the command plan', () => {
  test('ends with 2 when something would change, and changes nothing', async () => {
    const rig = await startWith(dismissed('Owners'), true, { 'secret.yaml': secretYaml });
    const { code, out } = await rig.run('plan -f policies/');
    expect(code).toBe(2);
    expect(out).toMatch(/^DEACTIVATIONS: these alerts would become inactive \(1\)\n {2}! Owners of subscriptions\/a\n/);
    expect(rig.proxy.count('patch')).toBe(0);
    expect(await rig.flag(scope, 'Owners')).toBe(true);
  });

  test.each([
    ['a Secret', 'plan -f policies/', {}, { 'secret.yaml': secretYaml }],
    ['--token-file', 'plan -f policies/ --token-file token.txt', {}, {}],
    ['the environment', 'plan -f policies/', { ROLEALERTS_TOKEN: staticToken }, {}],
  ])('reads no damaged sign-in when %s gives the token', async (_, words, environment, files) => {
    const rig = await startWith(declaredActive('Owners'), true, files);
    await mkdir(join(rig.folder, 'rolealerts'));
    await writeFile(join(rig.folder, 'rolealerts', 'tokens.json'), '{"https://service.exam');
    expect(await rig.run(words, environment)).toMatchObject({ code: 0, err: '' });
  });

  test.each([
    [{ ROLEALERTS_ALLOWED_HOSTS: 'alerts.example' }, 1, 'HostNotAllowed'],
    [{ ROLEALERTS_ALLOW_HTTP: 'false' }, 1, 'InvalidEndpoint'],
    [{ ROLEALERTS_ALLOW_PRIVATE_ENDPOINTS: 'false' }, 1, 'InvalidEndpoint'],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 64, 'switches off TLS verification'],
    [{ HTTP_PROXY: 'socks5://proxy' }, 64, 'HTTP_PROXY'],
  ])('sends no token with %o', async (environment, expected, text) => {
    const rig = await startWith(declaredActive('Owners'), true);
    const { code, out, err } = await rig.run('plan -f policies/ --token-file token.txt', environment);
    expect(code).toBe(expected);
    expect(out + err).toContain(text);
    expect(rig.proxy.requests).toEqual([]);
  });

  test.each([
    ['0 for a deactivation that waits for its window', '12h', 0, 'Waiting (1)', 'WaitingForWindow'],
    ['1 for one whose window never opens', '24h', 1, 'NOT READY: these policies would fail (1)', 'NoWindowAhead'],
  ])('ends with %s', async (_, duration, expected, heading, reason) => {
    const rig = await startWith(dismissed('Owners'), true, { 'secret.yaml': secretYaml });
    const closed = `  correctionWindows: [{kind: Deny, schedule: "0 0 * * *", duration: ${duration}, timeZone: UTC}]\n`;
    await rig.write('connection.yaml', connectionYaml(rig.proxy.url, closed));
    const { code, out } = await rig.run('plan -f policies/ --at 2096-01-02T06:00:00Z');
    expect(code).toBe(expected);
    expect(out).toContain(`${heading}\n  policy default/owners, subscriptions/a: ${reason}\n`);
  });

  test('needs --live and --filename for --all', async () => {
    const { code, err } = await (await startPreviewRig({})).run('plan -f policies/ --all');
    const sentence = '--all requires --live and --filename: one of them alone plans every scope.';
    expect([code, err]).toEqual([64, expect.stringContaining(sentence)]);
  });

  test.each([
    'apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n',
    connectionYaml('https://alerts.example')
      .replace('RoleAlertConnection', 'ClusterRoleAlertConnection')
      .replace(
        '  deactivation: Allow\n',
        '  access: [{namespaceSelector: {}, scopes: [tenants], maxMode: Enforce, deactivation: Deny, unlisted: Deny}]\n',
      ),
  ])('reads all namespaces for a file that may change the plans of all: %j', async (text) => {
    const rig = await startPreviewRig({});
    await rig.write('a.yaml', text);
    const sentence = 'requires --all-namespaces with --live: it may change the plans of every namespace.';
    const kubeconfig = `--kubeconfig ${rig.folder}/gone`;
    expect(await rig.run(`plan --live -f policies/ ${kubeconfig}`)).toMatchObject({
      code: 64,
      err: expect.stringContaining(sentence),
    });
    expect((await rig.run(`plan --live -A -f policies/ ${kubeconfig}`)).err).not.toContain(sentence);
    expect((await rig.run('plan -f policies/')).err).toBe('');
  });
});
