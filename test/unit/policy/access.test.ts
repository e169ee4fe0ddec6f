// What the entries of a ClusterRoleAlertConnection let the policies of a namespace do.
import { describe, expect, it } from 'vitest';

import { type Access, accessOf } from '../../../src/policy/access.ts';
import type { AccessEntry } from '../../../src/policy/generated/cluster-role-alert-connection.ts';
import type { PolicyMode } from '../../../src/policy/generated/role-alert-policy.ts';
import { accessEntry, namespace } from '../../support/builders/objects.ts';

const nothing: Access = { list: 'Deny', mode: 'Observe', deactivation: 'Deny', unlisted: 'Deny' };
const scope = 'subscriptions/a';

function granted(entries: readonly AccessEntry[], mode: PolicyMode = 'Enforce', asked = scope): Access {
  return accessOf(entries, { scope: asked, mode }, namespace());
}

it.each([
  ['the scope of the entry itself', 'subscriptions/a', 'subscriptions/a', 'Allow'],
  ['a scope below it', 'subscriptions/a', 'subscriptions/a/resourceGroups/b', 'Allow'],
  ['a scope of the same prefix text', 'subscriptions/a', 'subscriptions/ab', 'Deny'],
  ['a scope above it', 'subscriptions/a', 'subscriptions', 'Deny'],
  ['another case of the policy', 'subscriptions/a', 'Subscriptions/A/b', 'Allow'],
  ['another case of the entry', 'SUBSCRIPTIONS/A', 'subscriptions/a/b', 'Allow'],
  ['slashes at the ends', '/subscriptions/a/', '/subscriptions/a', 'Allow'],
  ['an encoded slash', 'subscriptions/a', 'subscriptions/a%2fb', 'Deny'],
  ['an encoded scope of the entry', 'subscriptions%2fa', 'subscriptions%2fa', 'Deny'],
  ['a segment that leads upwards', 'subscriptions/a', 'subscriptions/a/../b', 'Deny'],
  ['a dot', 'subscriptions/a', 'subscriptions/a/.', 'Deny'],
  ['an empty segment', 'subscriptions/a', 'subscriptions/a//b', 'Deny'],
  ['a query', 'subscriptions/a', 'subscriptions/a/b?c', 'Deny'],
  ['a backslash', 'subscriptions/a', String.raw`subscriptions/a\..\b`, 'Deny'],
  ['a letter that only full case folding equates', 'subscriptions/k', 'subscriptions/\u212A', 'Deny'],
  ['an entry without a segment', '/', 'subscriptions/a', 'Deny'],
  ['an entry that is empty', '', 'subscriptions/a', 'Deny'],
  ['a wildcard, which is a scope like any other', 'subscriptions/*', 'subscriptions/a', 'Deny'],
])('access to a scope %s: %s and %s is %s', (_, prefix, asked, list) => {
  expect(granted([accessEntry({ scopes: ['elsewhere', prefix] })], 'Enforce', asked).list).toBe(list);
});

describe('access of a namespace', () => {
  const list = (namespaceSelector: AccessEntry['namespaceSelector'], labels: Record<string, string>) =>
    accessOf([accessEntry({ namespaceSelector })], { scope, mode: 'Enforce' }, namespace(labels)).list;

  const team = (operator: string, values?: readonly string[]) => ({
    matchExpressions: [{ key: 'team', operator, ...(values && { values }) }],
  });

  it.each([
    ['an empty selector selects every namespace', {}, {}, 'Allow'],
    ['every label must match', { matchLabels: { team: 'a', stage: 'prod' } }, { team: 'a', stage: 'prod' }, 'Allow'],
    ['a missing label does not', { matchLabels: { team: 'a', stage: 'prod' } }, { team: 'a' }, 'Deny'],
    ['another value does not', { matchLabels: { team: 'a' } }, { team: 'A' }, 'Deny'],
    ['an inherited member is no label', { matchLabels: { constructor: 'a' } }, {}, 'Deny'],
    ['In', team('In', ['b', 'a']), { team: 'a' }, 'Allow'],
    ['In without the label', team('In', ['a']), {}, 'Deny'],
    ['NotIn', team('NotIn', ['b']), { team: 'a' }, 'Allow'],
    ['NotIn without the label', team('NotIn', ['b']), {}, 'Allow'],
    ['NotIn of its value', team('NotIn', ['a']), { team: 'a' }, 'Deny'],
    ['Exists', team('Exists'), { team: '' }, 'Allow'],
    ['DoesNotExist', team('DoesNotExist'), { team: '' }, 'Deny'],
    ['NotIn without values, which the schema refuses', team('NotIn'), {}, 'Deny'],
    [
      'labels and expressions, of which one fails',
      { matchLabels: { team: 'a' }, matchExpressions: [{ key: 'stage', operator: 'Exists' }] },
      { team: 'a' },
      'Deny',
    ],
  ] as const)('%s', (_, selector, labels, expected) => {
    expect(list(selector as AccessEntry['namespaceSelector'], labels)).toBe(expected);
  });

  it('is none while the namespace is not known or is being deleted, whatever the entries', () => {
    const all = [accessEntry({ namespaceSelector: {} })];
    const unknown = { ...nothing, list: 'Unknown' };
    expect(accessOf(all, { scope, mode: 'Enforce' }, undefined)).toEqual(unknown);
    const leaving = namespace({ team: 'a' }, { deletionTimestamp: '2026-06-01T12:00:00Z' });
    expect(accessOf(all, { scope, mode: 'Enforce' }, leaving)).toEqual(unknown);
  });
});

const everything: Access = { list: 'Allow', mode: 'Enforce', deactivation: 'Allow', unlisted: 'Allow' };
const observing = { maxMode: 'Observe' } as const;
const restricted = { deactivation: 'Deny', unlisted: 'Deny' } as const;

it.each<[string, readonly Partial<AccessEntry>[], PolicyMode, Access]>([
  ['nothing without an entry', [], 'Enforce', nothing],
  ['everything of one entry', [{}], 'Enforce', everything],
  ['what another entry has besides', [restricted, {}], 'Enforce', everything],
  ['no sum of entries', [observing, restricted], 'Enforce', { ...everything, ...restricted }],
  ['a guard that only observes', [observing, restricted], 'Observe', { ...everything, deactivation: 'Deny' }],
  ['a guard in the mode of the entry', [observing], 'Enforce', { ...nothing, list: 'Allow', unlisted: 'Allow' }],
  ['nothing of an entry for another scope', [{ scopes: ['elsewhere'] }], 'Enforce', nothing],
])('entries grant %s', (_, entries, mode, expected) => {
  expect(granted(entries.map(accessEntry), mode)).toEqual(expected);
});
