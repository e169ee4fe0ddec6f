// The events of a scope that cannot be listed: one for each new cause, with the words of the condition, and none for what concerns the
// whole connection.
import { expect, it } from 'vitest';

import type { StatusCause } from '../../../../src/operator/decide/conclude.ts';
import { failureOf } from '../../../../src/operator/decide/failures.ts';
import type { ConnectionReason } from '../../../../src/operator/reasons/reasons.ts';
import { readyEvents } from '../../../../src/operator/report/events.ts';
import type { RoleAlertPolicyStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import { type ErrorCode, errorOf } from '../../../support/builders/errors.ts';
import { statusAfter } from '../../../support/reasons/samples.ts';

const shown = (cause: StatusCause, health: ConnectionReason = 'Connected', before?: RoleAlertPolicyStatus) =>
  statusAfter(cause, { health, ...(before && { before }) });
const failed = (code: ErrorCode, facts = {}, isStale = false): StatusCause => ({
  kind: 'failed',
  failure: failureOf(errorOf(code, 'made to fail', facts)),
  isStale,
});
const forbidden = shown(failed('scope-forbidden'));

it.each<[string, StatusCause, ConnectionReason]>([
  ['ConnectionNotFound', { kind: 'no-connection' }, 'Connected'],
  ['ScopeRejected', failed('service-rejected'), 'Connected'],
  ['ScopeForbidden', failed('scope-forbidden'), 'Connected'],
  ['ScopeNotFound', failed('scope-not-found'), 'Connected'],
  ['ProtocolError', failed('service-protocol'), 'Connected'],
  ['ListTooLarge', failed('service-protocol', { reason: 'ListTooLarge' }), 'Connected'],
  ['UnsafeNextLink', failed('service-protocol', { reason: 'UnsafeNextLink' }), 'Connected'],
  ['ServiceUnreachable', failed('service-unreachable'), 'Connected'],
  ['Stale', failed('service-busy', {}, true), 'Throttled'],
  ['InternalError', failed('object-missing'), 'Connected'],
])('%s is a warning once, with the message of Ready', (reason, cause, connection) => {
  const next = shown(cause, connection);
  const note = next.conditions?.find(({ type }) => type === 'Ready')?.message;
  expect(readyEvents(undefined, next)).toEqual([{ type: 'Warning', reason, action: 'Reconcile', note }]);
  expect(readyEvents(next, shown(cause, connection, next))).toEqual([]);
});

it('another cause is another event', () => {
  const next = shown(failed('scope-not-found'), 'Connected', forbidden);
  expect(readyEvents(forbidden, next).map(({ reason }) => reason)).toEqual(['ScopeNotFound']);
});

it('a failure of the whole connection is no event of its policies', () => {
  expect(readyEvents(undefined, shown(failed('service-denied'), 'Unauthorized'))).toEqual([]);
  expect(readyEvents(forbidden, shown(failed('credential-missing'), 'SecretNotFound', forbidden))).toEqual([]);
  expect(readyEvents(undefined, shown(failed('service-unreachable'), 'CircuitOpen'))).toEqual([]);
});

it('a scope that still fails when its connection works again is an event', () => {
  const down = shown(failed('service-unreachable'), 'CircuitOpen');
  const next = shown(failed('service-unreachable'), 'Connected', down);
  expect(readyEvents(down, next).map(({ reason }) => reason)).toEqual(['ServiceUnreachable']);
});

it('a short pause and a suspension are no events', () => {
  expect(readyEvents(undefined, shown(failed('service-busy'), 'Throttled'))).toEqual([]);
  expect(readyEvents(undefined, shown({ kind: 'suspended' }))).toEqual([]);
});
