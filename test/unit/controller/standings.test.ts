// A connection's standing on each scope, from the outcomes of its lists.
import { describe, expect, it } from 'vitest';

import { Standings } from '../../../src/controller/standings.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';
import { connection } from '../../support/builders/objects.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const minuteMs = 60_000;
const error = (code: ErrorCode, facts = {}) => errorOf(code, 'made to fail', facts);
const object = connection();
const changed = connection({ auth: { tokenSecretRef: { name: 'other', key: 'token' } } });

function standings(proven: readonly string[] = []) {
  const clock = new ManualClock();
  const made = new Standings(clock);
  made.renew(object);
  for (const scope of proven) made.note(object, scope, undefined);
  const of = (...scopes: readonly string[]) => scopes.map((scope) => made.of(scope)).join(' ');
  return { clock, made, of };
}

describe('a connection', () => {
  it('has no standing before its first list, on each scope for itself', () => {
    const { made, of } = standings();
    expect(of('a', 'b')).toBe('Unheard Unheard');
    expect(made.note(object, 'a', undefined)).toMatchObject({ begun: ['a'], ended: [], refused: [] });
    expect(made.note(object, 'a', undefined)).toMatchObject({ begun: [], ended: [], refused: [] });
    expect(of('a', 'b')).toBe('Proven Unheard');
    expect(made.proven()).toEqual(['a']);
  });

  it.each<[ErrorCode, object]>([
    ['service-unreachable', {}],
    ['service-busy', {}],
    ['service-protocol', {}],
    ['service-protocol', { reason: 'ListTooLarge' }],
    ['tls-failed', {}],
    ['endpoint-invalid', {}],
    ['token-endpoint-failed', { status: 503 }],
  ])('keeps what it has proven when a list ends with %s %o', (code, facts) => {
    const { made, of } = standings(['a']);
    expect(made.note(object, 'a', error(code, facts)).ended).toEqual([]);
    expect(of('a')).toBe('Proven');
  });

  it.each<[ErrorCode, object, string]>([
    ['service-unreachable', {}, 'Unheard Unheard'],
    ['service-busy', {}, 'Unheard Unheard'],
    ['service-protocol', {}, 'Unheard Unheard'],
    ['service-protocol', { reason: 'UnsafeNextLink' }, 'Unheard Unheard'],
    ['service-protocol', { reason: 'ListTooLarge' }, 'Refused Unheard'],
    ['scope-forbidden', {}, 'Refused Unheard'],
    ['scope-not-found', {}, 'Refused Unheard'],
    ['service-rejected', {}, 'Refused Unheard'],
    ['tls-failed', {}, 'Refused Refused'],
    ['endpoint-invalid', {}, 'Refused Refused'],
    ['token-endpoint-failed', {}, 'Refused Refused'],
    ['service-denied', {}, 'Refused Refused'],
    ['credential-missing', {}, 'Refused Refused'],
    ['credential-not-allowed', {}, 'Refused Refused'],
    ['kube-unreachable', {}, 'Unheard Unheard'],
  ])('that was not heard and whose list of `a` ends with %s %o has, on `a` and `b`: %s', (code, facts, expected) => {
    const { made, of } = standings();
    made.note(object, 'a', error(code, facts));
    expect(of('a', 'b')).toBe(expected);
  });

  it('is not heard on its other scopes once it works again on one', () => {
    const { made, of } = standings();
    made.note(object, 'a', error('tls-failed'));
    made.note(object, 'a', undefined);
    expect(of('a', 'b')).toBe('Proven Unheard');
  });

  it.each<[ErrorCode, object]>([
    ['credential-missing', {}],
    ['credential-not-allowed', {}],
    ['token-endpoint-failed', { status: 401 }],
    ['token-endpoint-failed', { status: 400 }],
  ])('loses everything with its credential (%s %o), and proves it again scope by scope', (code, facts) => {
    const { made, of } = standings(['a', 'b']);
    expect(made.note(object, 'a', error(code, facts))).toMatchObject({ ended: ['a', 'b'], refused: 'All' });
    expect(made.note(object, 'b', error(code, facts))).toMatchObject({ ended: [], refused: [] });
    expect(of('a', 'b', 'c')).toBe('Refused Refused Refused');
    expect(made.note(object, 'a', undefined)).toMatchObject({ begun: ['a'], again: ['b'] });
    expect(of('a', 'b', 'c')).toBe('Proven Unheard Unheard');
  });

  it('loses one scope when the service refuses that scope', () => {
    const { made, of } = standings(['a', 'b']);
    expect(made.note(object, 'a', error('scope-forbidden'))).toMatchObject({ ended: ['a'], refused: ['a'] });
    expect(made.note(object, 'a', error('scope-forbidden'))).toMatchObject({ ended: [], refused: [] });
    expect(of('a', 'b')).toBe('Refused Proven');
    expect(made.note(object, 'a', undefined).begun).toEqual(['a']);
  });
});

describe('a 401', () => {
  const denied = error('service-denied');

  it('on one scope ends the claim of that scope, while others are proven', () => {
    const { made, of } = standings(['a', 'b', 'c']);
    expect(made.note(object, 'a', denied).ended).toEqual(['a']);
    expect(of('a', 'b', 'c')).toBe('Refused Proven Proven');
  });

  it('on a second scope ends them all', () => {
    const { made, of } = standings(['a', 'b', 'c']);
    made.note(object, 'a', denied);
    expect(made.note(object, 'b', denied).ended).toEqual(['b', 'c']);
    expect(of('a', 'b', 'c')).toBe('Refused Refused Refused');
  });

  it('on the only proven scope ends them all', () => {
    const { made, of } = standings(['a']);
    made.note(object, 'a', denied);
    expect(of('a', 'b')).toBe('Refused Refused');
  });

  it('is disproved by a list of another scope, also when it comes again', async () => {
    const { clock, made, of } = standings(['a', 'b', 'c']);
    for (let round = 0; round < 5; round++) {
      made.note(object, 'a', denied);
      made.note(object, 'b', undefined);
    }
    made.note(object, 'a', denied);
    await clock.advance(60 * minuteMs);
    expect(of('a', 'b', 'c')).toBe('Refused Proven Proven');
  });

  it('that was disproved on one scope is news on another', () => {
    const { made, of } = standings(['a', 'b', 'c']);
    made.note(object, 'a', denied);
    made.note(object, 'b', undefined);
    made.note(object, 'b', denied);
    expect(of('b', 'c')).toBe('Refused Proven');
    made.note(object, 'c', denied);
    expect(of('b', 'c')).toBe('Refused Refused');
  });

  it('ends them all when no list disproves it in time', async () => {
    const { clock, made, of } = standings(['a', 'b']);
    made.note(object, 'a', denied);
    await clock.advance(5 * minuteMs - 1);
    expect(of('b')).toBe('Proven');
    await clock.advance(1);
    expect(of('b')).toBe('Refused');
    expect(made.proven()).toEqual([]);
  });
});

describe('another spec', () => {
  it.each([
    ['another credential', changed, 'Unheard'],
    ['another endpoint', connection({ endpoint: { ...object.spec.endpoint, apiVersion: 'v2' } }), 'Unheard'],
    ['another object', { ...object, metadata: { ...object.metadata, uid: 'another' } }, 'Unheard'],
    ['another grant', connection({ deactivation: 'Deny' }), 'Proven'],
    ['other limits', connection({ limits: { ...object.spec.limits, burst: 99 } }), 'Proven'],
    ['another generation', { ...object, metadata: { ...object.metadata, generation: 9 } }, 'Proven'],
  ])('with %s leaves a scope as the row has it', (_, next, expected) => {
    const { made, of } = standings(['a']);
    made.renew(next);
    expect(of('a')).toBe(expected);
  });

  it('counts nothing that a list with the spec before found', () => {
    const { made, of } = standings(['a']);
    made.renew(changed);
    made.note(object, 'a', undefined);
    made.note(object, 'b', error('credential-missing'));
    expect(of('a', 'b')).toBe('Unheard Unheard');
  });

  it('forgives what was broken, and a doubt', async () => {
    const { clock, made, of } = standings(['a', 'b']);
    made.note(object, 'c', error('tls-failed'));
    made.note(object, 'a', error('service-denied'));
    made.renew(changed);
    expect(of('a', 'b', 'c')).toBe('Unheard Unheard Unheard');
    made.note(changed, 'a', undefined);
    await clock.advance(60 * minuteMs);
    expect(of('a')).toBe('Proven');
  });

  it('of a scope that nothing is declared for is forgotten', () => {
    const { made, of } = standings(['a']);
    made.forget('a');
    expect(of('a')).toBe('Unheard');
  });
});
