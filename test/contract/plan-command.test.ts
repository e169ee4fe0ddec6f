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
  test('ends with 0 and lists once when nothing would change', async () => {
    const rig = await startWith(declaredActive('Owners'), true, { 'secret.yaml': secretYaml });
    const { code, out, err } = await rig.run('plan -f policies/');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('0 deactivations, 0 activations, on 1 scope.');
    expect(rig.proxy.requests.map(({ kind, scope: listed }) => `${kind} ${listed}`)).toEqual([`list ${scope}`]);
  });

  test('ends with 2 when something would change, and changes nothing', async () => {
    const rig = await startWith(dismissed('Owners'), true, { 'secret.yaml': secretYaml });
    const { code, out } = await rig.run('plan -f policies/');
    expect(code).toBe(2);
    expect(out).toMatch(/^DEACTIVATIONS: these alerts would become inactive \(1\)\n {2}! Owners of subscriptions\/a\n/);
    expect(rig.proxy.count('patch')).toBe(0);
    expect(await rig.flag(scope, 'Owners')).toBe(true);
  });

  test('ends with 1 for a scope that the service does not list, and still shows the others', async () => {
    const rig = await startWith(declaredActive('Owners'), false, { 'secret.yaml': secretYaml });
    await rig.write('second.yaml', policyYaml('second', 'subscriptions/gone', declaredActive('Owners')));
    const { code, out } = await rig.run('plan -f policies/');
    expect(code).toBe(1);
    expect(out).toContain('+ Owners of subscriptions/a');
    expect(out).toContain('connection default/prod, subscriptions/gone: ScopeNotFound');
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

  test('sends no token to a host that --allowed-hosts lacks', async () => {
    const rig = await startWith(declaredActive('Owners'), true);
    const { code, out } = await rig.run('plan -f policies/ --token-file token.txt --allowed-hosts alerts.example');
    expect(code).toBe(1);
    expect(out).toContain('HostNotAllowed');
    expect(rig.proxy.requests).toEqual([]);
  });

  test('plans as of another time: a dismissal that ends before it is over', async () => {
    const ending =
      '{name: Owners, state: Inactive, dismissal: {reason: tracked in SEC-1, until: "2096-01-01T00:00:00Z"}}';
    const rig = await startWith(ending, false, { 'secret.yaml': secretYaml });
    await rig.write('connection.yaml', connectionYaml(rig.proxy.url));
    const { out } = await rig.run('plan -f policies/ --at 2097-01-01T00:00:00Z');
    expect(out).toContain('+ Owners of subscriptions/a\n      cause:  declared Inactive, and the dismissal has ended');
    expect(out).toContain('Plan for 2097-01-01T00:00:00Z');
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

  test('shows its progress on a terminal only, and erases it', async () => {
    const rig = await startWith(declaredActive('Owners'), true, { 'secret.yaml': secretYaml });
    await rig.write('second.yaml', policyYaml('second', 'subscriptions/gone', declaredActive('Owners')));
    const { err } = await rig.run('plan -f policies/', {}, true);
    expect(err).toBe('\r\u001b[KListed 1 of 2 scopes\r\u001b[K');
  });

  test.each([
    ['plan -f policies/ --at tomorrow', '--at needs an RFC 3339 time such as 2026-12-24T00:00:00Z.'],
    ['plan -f policies/ --all', '--all requires --live and --filename: one of them alone plans every scope.'],
  ])('ends with 64 after %s', async (words, sentence) => {
    const rig = await startPreviewRig({});
    const { code, err } = await rig.run(words);
    expect(code).toBe(64);
    expect(err).toContain(sentence);
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
