// What a failure of PostgreSQL means for a request: the database is away, it is busy, or the program has a bug.
import { describe, expect, test } from 'vitest';

import { isCoded } from '../../../../src/lib/errors.ts';
import {
  classifyFailure,
  isRepeatable,
  reportOf,
  sqlStateOf,
} from '../../../../src/service/postgres/classify-failure.ts';

const reported = (code: string, message = 'as reported') =>
  Object.assign(new Error(message), { code, severity: 'ERROR' });
const codeOf = (error: unknown) => {
  const classified = classifyFailure(error);
  return isCoded(classified) ? classified.code : 'bug';
};

describe('a failure of PostgreSQL', () => {
  test.each([
    ['57P01', 'database-away'],
    ['3D000', 'database-away'],
    ['53100', 'database-busy'],
    ['25006', 'database-busy'],
    ['40P01', 'database-busy'],
    ['42P01', 'bug'],
    ['22021', 'bug'],
  ])('with SQLSTATE %s is %s', (state, code) => {
    expect(codeOf(reported(state))).toBe(code);
  });

  test('of the connection, which has no SQLSTATE, means that the database is away', () => {
    expect(codeOf(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))).toBe('database-away');
    expect(codeOf(new Error('Connection terminated unexpectedly'))).toBe('database-away');
  });

  test('may be run again after a conflict or a deadlock only', () => {
    expect(['40001', '40P01', '57014', '08006'].map((state) => isRepeatable(classifyFailure(reported(state))))).toEqual(
      [true, true, false, false],
    );
  });

  test('is reported with its SQLSTATE, and by its code when it has no message', () => {
    expect(reportOf(classifyFailure(reported('28P01', 'no such user')))).toBe('28P01 no such user');
    expect(reportOf(classifyFailure(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })))).toBe(
      'ECONNREFUSED',
    );
    expect(sqlStateOf(Object.assign(new Error('x'), { code: 'EPIPE' }))).toBeUndefined();
  });
});
