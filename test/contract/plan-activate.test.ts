// `rolealerts plan --activate` against the alerts service: which PATCHes it sends, what it verifies, and its exit codes.
import { describe, expect, test } from 'vitest';

import {
  connectionYaml,
  declaredActive,
  dismissed,
  policyYaml,
  type SeededAlert,
  secretYaml,
  startPreviewRig,
} from '../support/rigs/preview-rig.ts';

const scope = 'subscriptions/a';

async function startWith(alerts: readonly SeededAlert[], declared: string) {
  const rig = await startPreviewRig({ [scope]: alerts });
  await rig.write('policy.yaml', policyYaml('owners', scope, declared));
  await rig.write('connection.yaml', `${connectionYaml(rig.proxy.url)}---\n${secretYaml}`);
  return rig;
}

const off = (name: string) => ({ name, isActive: false });
const on = (name: string) => ({ name, isActive: true });

describe('plan --activate', () => {
  test('activates what is declared Active, verifies it by a second list, and ends with 0', async () => {
    const rig = await startWith(
      [off('Owners'), on('Others')],
      `${declaredActive('Owners')}, ${declaredActive('Others')}`,
    );
    const { code, out } = await rig.run('plan -f policies/ --activate');
    expect(code).toBe(0);
    expect(out).toBe(`Activated, and verified by a second list (1)
  + Owners of subscriptions/a
      cause:  declared Active; a scan of the service probably changed it; was inactive with 0 incidents
      by:     policy default/owners, connection default/prod

Activated: 1 alert, 0 deactivations left to the operator, on 1 scope.
`);
    expect(rig.proxy.requests.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'list roleManagementAlerts',
      'patch Owners',
      'list roleManagementAlerts',
    ]);
    expect(await rig.flag(scope, 'Owners')).toBe(true);
  });

  test('leaves deactivations to the operator and ends with 2', async () => {
    const rig = await startWith([on('Owners')], dismissed('Owners'));
    const { code, out } = await rig.run('plan -f policies/ --activate');
    expect(code).toBe(2);
    expect(out).toMatch(/^LEFT TO THE OPERATOR: only its ledger ends a deactivation \(1\)\n {2}! Owners of /);
    expect(rig.proxy.count('patch')).toBe(0);
  });

  test('ends with 1 for a PATCH that the service refuses, and sends the others', async () => {
    const rig = await startWith(
      [off('Owners'), off('Others')],
      `${declaredActive('Owners')}, ${declaredActive('Others')}`,
    );
    rig.proxy.intercept = ({ kind, name }, response) => {
      if (kind !== 'patch' || name !== 'Owners') return false;
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"error":{"code":"Forbidden","message":"No."}}');
      return true;
    };
    const { code, out } = await rig.run('plan -f policies/ --activate');
    expect(code).toBe(1);
    expect(out).toContain('Activated, and verified by a second list (1)\n  + Others');
    expect(out).toMatch(/FAILED \(1\)\n {2}\+ Owners .*\n(?: {6}.*\n)+ {6}error: {2}.*\(error code Forbidden\)/);
  });

  test('lists again while the service shows a change late', async () => {
    const rig = await startWith([off('Owners')], declaredActive('Owners'));
    let lists = 0;
    rig.proxy.intercept = ({ kind }, response) => {
      if (kind !== 'list') return false;
      lists += 1;
      if (lists !== 2) return false;
      const value = [{ name: 'Owners', properties: { isActive: false } }];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ value }));
      return true;
    };
    const { code } = await rig.run('plan -f policies/ --activate');
    expect([code, lists]).toEqual([0, 3]);
  });

  test.each(['--live', '--at 2026-12-24T00:00:00Z'])('is refused with %s', async (option) => {
    const rig = await startWith([off('Owners')], declaredActive('Owners'));
    const { code, err } = await rig.run(`plan -f policies/ --activate ${option}`);
    expect([code, err]).toEqual([
      64,
      'rolealerts: --activate sends what files declare now: leave out --live and --at.\n',
    ]);
    expect(rig.proxy.requests).toEqual([]);
  });
});
