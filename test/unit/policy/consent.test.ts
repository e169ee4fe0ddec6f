// Which Secrets and ServiceAccounts consent to their use by the operator.
import { expect, test } from 'vitest';

import { accountConsent, consentText, hasConsent, secretConsent } from '../../../src/policy/consent.ts';

const label = 'rolealerts.dev/credential';
const annotation = 'rolealerts.dev/federated-audience';
const account = accountConsent({ audience: 'api://x' });

test('a Secret consents with its label, and a ServiceAccount with the audience in its annotation', () => {
  expect(hasConsent({ labels: { [label]: 'true' } }, secretConsent)).toBe(true);
  expect(hasConsent({ annotations: { [annotation]: 'api://x' } }, account)).toBe(true);
});

test.each([
  ['no metadata', undefined],
  ['no members', {}],
  ['null', { labels: null, annotations: null }],
  ['another value', { labels: { [label]: 'TRUE' }, annotations: { [annotation]: 'api://X' } }],
  ['a value that is no text', { labels: { [label]: true }, annotations: { [annotation]: ['api://x'] } }],
  ['the other member', { annotations: { [label]: 'true' }, labels: { [annotation]: 'api://x' } }],
  ['a list', { labels: [label, 'true'], annotations: [annotation, 'api://x'] }],
])('there is no consent in %s', (_, metadata) => {
  expect([hasConsent(metadata, secretConsent), hasConsent(metadata, account)]).toEqual([false, false]);
});

test('inherited members are no consent, whatever a label is named', () => {
  const inherited = { [label]: 'true', [annotation]: 'api://x' };
  const text = JSON.stringify({ labels: { constructor: 'true' } }).replace('"constructor"', '"__proto__"');
  for (const metadata of [
    { labels: Object.create(inherited) as object, annotations: Object.create(inherited) as object },
    Object.create({ labels: inherited, annotations: inherited }) as object,
    JSON.parse(text) as object,
    { labels: { __proto__: inherited }, annotations: { __proto__: inherited } },
  ]) {
    expect([hasConsent(metadata, secretConsent), hasConsent(metadata, account)]).toEqual([false, false]);
  }
});

test('a message names what is missing', () => {
  expect(consentText(secretConsent)).toBe('the label rolealerts.dev/credential: "true"');
  expect(consentText(account)).toBe('the annotation rolealerts.dev/federated-audience: "api://x"');
});
