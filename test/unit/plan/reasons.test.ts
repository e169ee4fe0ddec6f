// The messages of the reasons, on which users' alerts and dashboards rely.
import { describe, expect, it } from 'vitest';

import { capacityReasons, connectionReasons } from '../../../src/plan/connection-reasons.ts';
import { factsOfConnection, type MessageFacts } from '../../../src/plan/message-facts.ts';
import { policyReasons } from '../../../src/plan/policy-reasons.ts';
import type { ReasonText } from '../../../src/plan/reason-text.ts';
import { conditionMessage, type Reason } from '../../../src/plan/reasons.ts';
import { connection } from '../../support/builders/objects.ts';

const texts: Readonly<Record<Reason, ReasonText>> = { ...policyReasons, ...connectionReasons, ...capacityReasons };
const reasons = Object.keys(texts) as Reason[];
const facts: MessageFacts = {
  ...factsOfConnection(connection()),
  scope: 'subscriptions/a',
  alerts: 'Alert A',
  serviceCode: 'Nope',
  cause: 'Unauthorized',
  needed: 4000,
  allowed: 3600,
  fittingInterval: '17m',
};

describe.each(reasons)('%s', (reason) => {
  it('has sentences without an unknown placeholder, whatever is known', () => {
    for (const known of [facts, {}]) {
      expect(conditionMessage(reason, known)).toMatch(/^[A-Z][^{}]*\.$/);
    }
    expect(texts[reason].more ?? 'None.').toMatch(/^[A-Z`].*\.$/);
  });

  it('has a message that fits on a screen', () => {
    expect(conditionMessage(reason, facts).length).toBeLessThanOrEqual(300);
  });
});

const naming = (text: string) => reasons.filter((reason) => conditionMessage(reason, facts).includes(text));

it('the reasons about a credential name its Secret and key, and no other reason does', () => {
  expect(naming('Secret team/credentials, key token')).toEqual([
    'SecretNotFound',
    'SecretInvalid',
    'SecretNotAllowed',
    'Unauthorized',
    'TokenEndpointFailed',
  ]);
});

it('the reasons about an address name the URL of the service and that of the token endpoint', () => {
  const tokenURL = 'https://login.example/token';
  const about = (reason: Reason) => conditionMessage(reason, { ...facts, tokenURL });
  expect(about('InvalidEndpoint')).toContain(`the address https://service.example or the token URL ${tokenURL}.`);
  expect(about('TLSFailed')).toContain(`to https://service.example or the token URL ${tokenURL} can`);
  expect(about('TokenEndpointFailed')).toContain(`the token endpoint ${tokenURL} issued`);
  expect(conditionMessage('InvalidEndpoint', facts)).toContain('the address https://service.example.');
});

it('the token URL is named without user and query', () => {
  const clientSecretRef = { name: 'credentials', key: 'token' };
  const named = (tokenURL: string) => {
    const auth = { clientCredentials: { tokenURL, clientID: 'a', scopes: [], clientSecretRef } };
    return factsOfConnection(connection({ auth })).tokenURL;
  };
  expect(named('https://me:s3cret@login.example/token?code=s3cret#s3cret')).toBe('https://login.example/token');
  expect(named('s3cret')).toBeUndefined();
});

it('the reason of a missing CA bundle names its ConfigMap', () => {
  const bundled = connection({
    endpoint: { ...connection().spec.endpoint, caBundleRef: { kind: 'ConfigMap', name: 'corp-ca', key: 'ca.crt' } },
  });
  expect(conditionMessage('CABundleNotFound', factsOfConnection(bundled))).toMatch(
    /^ConfigMap team\/corp-ca, key ca\.crt: the CA bundle of connection team\/prod /,
  );
});

it('the reasons that the service explains have its code', () => {
  expect(naming('(error code Nope)')).toEqual(['ScopeRejected', 'ScopeForbidden', 'ScopeNotFound', 'CorrectionFailed']);
});

it('a reason without anything to name has one sentence for all objects', () => {
  const constant = reasons.filter((reason) => conditionMessage(reason, facts) === conditionMessage(reason));
  expect(constant).toEqual(['Pending', 'Succeeded', 'InSync', 'Suspended', 'NoIncidents', 'Scanning', 'Connected']);
});

it('the message of InSync is the sentence of its reason', () => {
  expect(conditionMessage('InSync')).toBe('The live state matches the spec.');
});
