import { describe, expect, test } from 'vitest';

import { permissionsOf } from '../../../../src/service/scanner/role-rules.ts';

const rule = (apiGroups: string[], resources: string[], verbs: string[], rest: object = {}) => ({
  apiGroups,
  resources,
  verbs,
  ...rest,
});
const pods = rule([''], ['pods'], ['get', 'list']);

describe('rules give the same', () => {
  test.each<[string, unknown, unknown]>([
    ['with a star beside what it says', [rule(['*'], ['*'], ['*'])], [rule(['*', ''], ['pods', '*'], ['get', '*'])]],
    ['with a rule that a wider one says', [rule([''], ['pods'], ['*'])], [rule([''], ['pods'], ['*']), pods]],
    ['with a name beside any name', [pods], [pods, rule([''], ['pods'], ['get'], { resourceNames: ['one'] })]],
    [
      'with URLs in two rules',
      [{ nonResourceURLs: ['/a', '/b'], verbs: ['get'] }],
      [
        { nonResourceURLs: ['/b'], verbs: ['get'] },
        { nonResourceURLs: ['/a'], verbs: ['get'] },
      ],
    ],
    ['with a rule that gives nothing', [pods], [pods, rule([''], ['pods'], [])]],
    ['when they are no rules', undefined, [null, 1, { verbs: 'get' }]],
  ])('%s', (_, left, right) => {
    expect(permissionsOf(left)).toEqual(permissionsOf(right));
  });
});

describe('rules differ', () => {
  test.each<[string, unknown, unknown]>([
    ['in a verb', [pods], [rule([''], ['pods'], ['get'])]],
    ['in the name of an object', [pods], [{ ...pods, resourceNames: ['one'] }]],
    ['in a name that is a star, which is a name', [pods], [{ ...pods, resourceNames: ['*'] }]],
    ['in URLs', [pods], [pods, { nonResourceURLs: ['/a'], verbs: ['get'] }]],
    [
      'in what belongs together',
      [rule([''], ['a', 'b'], ['x', 'y'])],
      [rule([''], ['a'], ['x']), rule([''], ['b'], ['y'])],
    ],
    ['by something and nothing', [pods], []],
  ])('%s', (_, left, right) => {
    expect(permissionsOf(left)).not.toEqual(permissionsOf(right));
  });
});

test('rules that multiply to billions are compared as they are written', () => {
  const many = (prefix: string) => Array.from({ length: 3000 }, (_, index) => `${prefix}${index}`);
  const huge = rule(many('g'), many('r'), many('v'));
  const permissions = permissionsOf([huge]);
  expect(permissions).toHaveLength(1);
  expect(permissionsOf([{ ...huge, verbs: huge.verbs.toReversed() }])).toEqual(permissions);
});
