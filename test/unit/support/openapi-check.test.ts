// The check of every contract test finds invalid responses.
import { expect, test } from 'vitest';

import { createResponseCheck, type HttpCall } from '../../support/checks/openapi-check.ts';
import { openAPIDocument } from '../../support/checks/openapi-document.ts';

const check = createResponseCheck(openAPIDocument());

const collection = '/subscriptions/one/providers/Vendor.Authorization/roleManagementAlerts';
const requestID = { 'x-request-id': 'mine' };
const headers = { 'content-type': 'application/json; charset=utf-8', ...requestID };
const properties = {
  isActive: true,
  alertConfiguration: {},
  alertDefinition: {},
  alertIncidents: [],
  incidentCount: 0,
  lastModifiedDateTime: '2026-01-02T03:04:05Z',
  lastScannedDateTime: null,
  scope: 'subscriptions/one',
};

function list(members: object = {}, others: object = {}): HttpCall {
  const body = JSON.stringify({ value: [{ name: 'A', properties: { ...properties, ...members } }], ...others });
  return { method: 'GET', target: `${collection}?api-version=x`, status: 200, headers, body };
}

const error = (code: string) => ({ error: { code, message: 'No.' } });
const updated: HttpCall = { method: 'PATCH', target: `${collection}/A`, status: 204, headers: requestID, body: '' };
const refused = (status: number, code: string, more: object = {}): HttpCall => ({
  ...list(),
  status,
  headers: { ...headers, ...more },
  body: JSON.stringify(error(code)),
});
const variant = (alertConfigurationType: unknown, more: object = {}) =>
  list({ alertConfiguration: { properties: { alertConfigurationType, ...more } } });
const tooManyOwners = 'TooManyOwnersAssignedToResourceAlertConfiguration';

test.each<[string, HttpCall]>([
  ['a list with members that are yet to come', list({ future: 1 }, { future: [] })],
  [
    'an update of a scope whose slashes are encoded',
    { ...updated, target: updated.target.replace('s/one', 's%2Fone') },
  ],
  ['a method that the path does not have', { ...refused(405, 'MethodNotAllowed', { allow: 'GET' }), method: 'PUT' }],
  ['a path that is not described', { ...list(), target: '/common/oauth2/token', status: 302, body: '' }],
])('%s is right', (_, exchange) => {
  expect(check(exchange)).toEqual([]);
});

test.each<[string, HttpCall, RegExp]>([
  ['a success that is not described', { ...updated, status: 200 }, /^status 200 is not described$/],
  ['an update without the id of its request', { ...updated, headers: {} }, /^header X-Request-Id is missing$/],
  ['an update with a body', { ...updated, body: '{}' }, /^there is a body$/],
  ['another content type', { ...list(), headers: { 'content-type': 'text/html' } }, /^the content type is text\/html$/],
  ['a list without value', { ...list(), body: '{}' }, /required property 'value'/],
  ['a flag that is null', list({ isActive: null }), /isActive must be boolean/],
  ['a count of 64 bits', list({ incidentCount: 2 ** 31 }), /incidentCount must be <= 2147483647/],
  [
    'a threshold that is text',
    variant(tooManyOwners, { thresholdNumberOfOwners: '3' }),
    /thresholdNumberOfOwners must/,
  ],
  ['a code with the wrong status', refused(400, 'ScopeNotFound'), /^the code ScopeNotFound is not described/],
  ['a refusal without its challenge', refused(401, 'InvalidToken'), /^header WWW-Authenticate is missing$/],
])('%s is found', (_, exchange, problem) => {
  expect(check(exchange)).toContainEqual(expect.stringMatching(problem));
});
