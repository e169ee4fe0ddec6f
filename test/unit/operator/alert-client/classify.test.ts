import { describe, expect, test } from 'vitest';

import { classify, type ResponseFacts, type ServiceOperation } from '../../../../src/operator/alert-client/classify.ts';

const codeOf = (operation: ServiceOperation, status: number, facts: Partial<ResponseFacts> = {}) => {
  const found = classify(operation, { status, hasErrorBody: true, isThrottled: status === 429, ...facts });
  return typeof found === 'string' ? found : found[0];
};

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
    expect(codeOf('list', status)).toBe(list);
    expect(codeOf('patch', status)).toBe(patch);
  });

  test('of 503 that asks to wait is a busy service', () => {
    expect(codeOf('list', 503, { isThrottled: true })).toBe('service-busy');
  });

  test.each([400, 404, 410])('of %i without an error body does not come from the service', (status) => {
    expect(codeOf('list', status, { hasErrorBody: false })).toBe('service-protocol');
    expect(codeOf('patch', status, { hasErrorBody: false })).toBe('alert-refused');
  });

  test('of 403 to a LIST concerns the scope, with or without an error body', () => {
    expect(codeOf('list', 403, { hasErrorBody: false })).toBe('scope-forbidden');
  });
});
