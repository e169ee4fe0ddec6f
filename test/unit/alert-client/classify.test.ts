import { describe, expect, test } from 'vitest';

import { classify } from '../../../src/alert-client/classify.ts';

const plain = { hasErrorBody: true, hasRetryAfter: false };
const codeOf = (responseClass: ReturnType<typeof classify>) =>
  responseClass.kind === 'failed' ? responseClass.code : responseClass.kind;

describe('a response', () => {
  test.each([
    { status: 199, list: 'service-protocol', patch: 'service-protocol' },
    { status: 200, list: 'succeeded', patch: 'unproven' },
    { status: 201, list: 'service-protocol', patch: 'unproven' },
    { status: 204, list: 'service-protocol', patch: 'succeeded' },
    { status: 299, list: 'service-protocol', patch: 'unproven' },
    { status: 300, list: 'service-protocol', patch: 'service-protocol' },
    { status: 301, list: 'service-protocol', patch: 'service-protocol' },
    { status: 304, list: 'service-protocol', patch: 'service-protocol' },
    { status: 399, list: 'service-protocol', patch: 'service-protocol' },
    { status: 400, list: 'service-rejected', patch: 'alert-refused' },
    { status: 401, list: 'service-denied', patch: 'service-denied' },
    { status: 403, list: 'scope-forbidden', patch: 'alert-refused' },
    { status: 404, list: 'scope-not-found', patch: 'alert-refused' },
    { status: 408, list: 'service-unreachable', patch: 'service-unreachable' },
    { status: 409, list: 'service-rejected', patch: 'alert-refused' },
    { status: 422, list: 'service-rejected', patch: 'alert-refused' },
    { status: 429, list: 'service-busy', patch: 'service-busy' },
    { status: 499, list: 'service-rejected', patch: 'alert-refused' },
    { status: 500, list: 'service-unreachable', patch: 'service-unreachable' },
    { status: 502, list: 'service-unreachable', patch: 'service-unreachable' },
    { status: 503, list: 'service-unreachable', patch: 'service-unreachable' },
    { status: 599, list: 'service-unreachable', patch: 'service-unreachable' },
    { status: 600, list: 'service-protocol', patch: 'service-protocol' },
    { status: 999, list: 'service-protocol', patch: 'service-protocol' },
  ])('of $status means $list for a LIST and $patch for a PATCH', ({ status, list, patch }) => {
    expect(codeOf(classify('list', { ...plain, status }))).toBe(list);
    expect(codeOf(classify('patch', { ...plain, status }))).toBe(patch);
  });

  test('of 503 with Retry-After is a busy service', () => {
    expect(codeOf(classify('list', { status: 503, hasErrorBody: false, hasRetryAfter: true }))).toBe('service-busy');
  });

  test.each([400, 404, 410])('of %i without an error body does not come from the service', (status) => {
    expect(codeOf(classify('list', { status, hasErrorBody: false, hasRetryAfter: false }))).toBe('service-protocol');
    expect(codeOf(classify('patch', { status, hasErrorBody: false, hasRetryAfter: false }))).toBe('alert-refused');
  });

  test('of 403 to a LIST concerns the scope, with or without an error body', () => {
    expect(codeOf(classify('list', { status: 403, hasErrorBody: false, hasRetryAfter: false }))).toBe(
      'scope-forbidden',
    );
  });
});
