// Mistakes that a schema cannot see: the API server accepts the manifest, and the condition of the object says what is wrong and what to
// write instead. The sentences are here in full, to be reviewed as a table; the namespace is `team`, the service `https://service`.
import { expect, test } from 'vitest';

import { canaryToken, incident } from '../support/checks/canaries.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

interface Mistake {
  readonly mistake: string;
  /** Named `made`, as everything of a row is in its sentence; labelled as a credential unless `labels` says otherwise. */
  readonly secret?: { readonly values: Readonly<Record<string, string>>; readonly labels?: object };
  readonly connection?: object;
  readonly policy?: object;
  /** The condition that shows it: of the connection if the row has one, else of the policy. */
  readonly type?: string;
  /** `STATUS/REASON MESSAGE`. */
  readonly says: string;
}

const token = (name: string, key: string) => ({ auth: { tokenSecretRef: { name, key } } });
const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString().replace(/\.\d+Z/, 'Z');
const dismissed = (bound: object) => ({
  alerts: [{ name: 'Owners', state: 'Inactive', dismissal: { reason: 'known to SEC-1182', ...bound } }],
});

const connections: readonly Mistake[] = [
  {
    mistake: 'the Secret does not exist',
    connection: token('missing', 'token'),
    says: 'False/SecretNotFound Secret team/missing, key token: the Secret or the key does not exist. Create the Secret with that key; the operator reads it again every 30 seconds.',
  },
  {
    mistake: 'the Secret has another key',
    connection: token('credentials', 'password'),
    says: 'False/SecretNotFound Secret team/credentials, key password: the Secret or the key does not exist. Create the Secret with that key; the operator reads it again every 30 seconds.',
  },
  {
    mistake: 'the Secret has no label',
    secret: { values: { token: canaryToken }, labels: {} },
    connection: token('made', 'token'),
    says: 'False/SecretNotAllowed Secret team/made, key token: the operator may not use it, because it lacks the label rolealerts.dev/credential: "true" or RBAC forbids reading it. If it is meant as a credential, run `kubectl label --overwrite secret made -n team rolealerts.dev/credential=true`.',
  },
  {
    mistake: 'the label has another value',
    secret: { values: { token: canaryToken }, labels: { 'rolealerts.dev/credential': 'yes' } },
    connection: token('made', 'token'),
    says: 'False/SecretNotAllowed Secret team/made, key token: the operator may not use it, because it lacks the label rolealerts.dev/credential: "true" or RBAC forbids reading it. If it is meant as a credential, run `kubectl label --overwrite secret made -n team rolealerts.dev/credential=true`.',
  },
  {
    mistake: 'the token is empty',
    secret: { values: { token: '' } },
    connection: token('made', 'token'),
    says: 'False/SecretInvalid Secret team/made, key token: the value is empty or cannot be used as a credential. Correct the value in the Secret; the operator reads it again every 30 seconds.',
  },
  {
    mistake: 'the token has two lines',
    secret: { values: { token: 'first\nsecond' } },
    connection: token('made', 'token'),
    says: 'False/SecretInvalid Secret team/made, key token: the value is empty or cannot be used as a credential. Correct the value in the Secret; the operator reads it again every 30 seconds.',
  },
  {
    mistake: 'the token is that of another service',
    secret: { values: { token: 'another' } },
    connection: token('made', 'token'),
    says: 'False/Unauthorized Secret team/made, key token: the service at https://service refuses the credential. Renew the credential in the Secret; the operator notices a change within 30 seconds.',
  },
  {
    mistake: 'the ConfigMap of the CA bundle does not exist',
    connection: { endpoint: { baseURL: 'https://127.0.0.1:1', caBundleRef: { name: 'corp-ca' } } },
    says: 'False/CABundleNotFound ConfigMap team/corp-ca, key ca.crt: the CA bundle of connection team/made does not exist, is empty, or RBAC forbids reading it. Create the ConfigMap with that key, or correct endpoint.caBundleRef; the operator reads it again every 30 seconds.',
  },
];

const policies: readonly Mistake[] = [
  {
    mistake: 'the connection does not exist',
    policy: { connectionRef: { name: 'prod-eu' } },
    says: 'False/ConnectionNotFound Connection team/prod-eu does not exist, or no operator serves it. Create it in the namespace of the policy, or create the policy again with the right spec.connectionRef. If it exists, compare its labels with --connection-selector of the operator.',
  },
  {
    mistake: 'the scope does not exist',
    policy: { scope: 'subscriptions0b1f6471' },
    says: 'False/ScopeNotFound Scope subscriptions0b1f6471: unknown to the service (error code ScopeNotFound). Check the spelling of spec.scope, or delete the policy if the scope is gone.',
  },
  {
    mistake: 'an alert that the service does not list must be active',
    policy: { alerts: [{ name: 'Ownres', state: 'Active' }] },
    says: 'False/AlertNotFound Alert Ownres: not listed by the service for scope subscriptions/wrong-2. Check the spelling in spec.alerts, or remove the entry.',
  },
  {
    mistake: 'an alert that the service does not list may be inactive',
    policy: {
      alerts: [{ name: 'Ownres', state: 'Inactive', dismissal: { reason: 'known to SEC-1182', incidents: ['a'] } }],
    },
    type: 'InSync',
    says: 'True/InSync No alert differs from its desired state. Alert Ownres: declared Inactive, but not listed by the service. Check the name, or remove it from the spec.',
  },
  {
    mistake: 'until is in the past',
    policy: dismissed({ until: '2026-01-01T00:00:00Z' }),
    type: 'InSync',
    says: 'True/InSync No alert differs from its desired state. Alert Owners: active although declared Inactive, because the dismissal has ended. Extend `until`, or declare the state Active.',
  },
  {
    mistake: 'until is too far ahead',
    policy: dismissed({ until: inHours(24 * 60) }),
    says: 'False/DismissalTooLong Alert Owners: not deactivated, because the dismissal lists no incidents and ends later than limits.maxDismissal of connection team/prod allows. Set an earlier `until`, or list the covered incidents in `incidents`.',
  },
  {
    mistake: 'the dismissal covers other incidents',
    policy: dismissed({ incidents: ['6f1d'] }),
    type: 'InSync',
    says: 'True/InSync No alert differs from its desired state. Alert Owners: active although declared Inactive, because incidents exceed the bound of the dismissal. Handle the incidents, or extend the dismissal.',
  },
  {
    mistake: 'suspendUntil is in the past',
    policy: { suspend: true, suspendUntil: '2026-01-01T00:00:00Z' },
    says: 'True/Succeeded Every declared alert has its desired state.',
  },
  {
    mistake: 'another policy of the scope declares the opposite',
    policy: { scope: 'subscriptions/wrong-7', ...dismissed({ incidents: ['6f1c'] }) },
    says: 'False/ScopeConflict Alert Owners: owned by policy team/made-7, and declared in the opposite state there. Change one of the policies.',
  },
  {
    mistake: 'the connection does not allow deactivation',
    policy: { connectionRef: { name: 'careful' }, ...dismissed({ incidents: ['6f1c'] }) },
    says: 'False/DeactivationDenied Alert Owners: declared Inactive, but connection team/careful does not allow deactivation (spec.deactivation is Deny). Ask the owner of the connection to set spec.deactivation to Allow, or declare the state Active.',
  },
];

const scopeOf = (index: number) => `subscriptions/wrong-${index}`;

describeWithControlPlane('an accepted mistake', (controlPlane) => {
  /** `STATUS/REASON MESSAGE`, without what differs between two runs. */
  const shownBy = (rig: OperatorRig, kind: 'policy' | 'connection', name: string, type: string) => {
    const found = rig[kind](name).status.conditions?.find((condition) => condition.type === type);
    const text = `${found?.status}/${found?.reason} ${found?.message}`;
    return text.replaceAll(rig.namespace, 'team').replaceAll(rig.proxy.url, 'https://service').replaceAll(name, 'made');
  };

  test('in a connection gets its condition', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes: { 'subscriptions/wrong': [] } });
    const shown: string[] = [];
    for (const [index, { secret, connection }] of connections.entries()) {
      const name = `made-${index}`;
      if (secret) await rig.createSecret(name, secret.values, secret.labels);
      const spec = JSON.parse(JSON.stringify(connection).replaceAll('"made"', `"${name}"`)) as object;
      await rig.createConnection({ name, spec });
      await rig.createPolicy(name, {
        scope: 'subscriptions/wrong',
        connectionRef: { name },
        unlisted: { state: 'Active' },
      });
    }
    for (const [index, { says }] of connections.entries()) {
      const name = `made-${index}`;
      await rig.connectionIs(name, says.split(' ')[0] ?? '');
      shown.push(shownBy(rig, 'connection', name, 'Ready'));
    }
    expect(shown).toEqual(connections.map(({ says }) => says));
  });

  test('in an address gets its condition', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, controller: { allowHttp: false } });
    await rig.createConnection({ name: 'made' });
    await rig.createPolicy('made', {
      scope: 'subscriptions/a',
      connectionRef: { name: 'made' },
      unlisted: { state: 'Active' },
    });
    await rig.connectionIs('made', 'False/InvalidEndpoint');
    expect(shownBy(rig, 'connection', 'made', 'Ready')).toBe(
      'False/InvalidEndpoint Connection team/made: the operator does not allow the address https://service. Use https and a public address, without user, query and fragment; see the options --allow-http and --allow-private-endpoints.',
    );
  });

  test('in a policy gets its condition', async ({ onTestFinished }) => {
    const owners = {
      name: 'Owners',
      properties: { isActive: true, severity: 'High', alertIncidents: [incident('6f1c')] },
    };
    const scopes = Object.fromEntries(policies.map((_, index) => [scopeOf(index), [owners]]));
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createConnection({ name: 'careful', spec: { deactivation: 'Deny' } });
    const base = { alerts: [{ name: 'Owners', state: 'Active' }] };
    for (const [index, { policy }] of policies.entries())
      await rig.createPolicy(`made-${index}`, { scope: scopeOf(index), ...base, ...policy });
    const shown: string[] = [];
    for (const [index, { type = 'Ready', says }] of policies.entries()) {
      const name = `made-${index}`;
      await rig.policyIs(name, type, says.split(' ')[0] ?? '');
      shown.push(shownBy(rig, 'policy', name, type));
    }
    expect(shown).toEqual(policies.map(({ says }) => says));
  });
});
