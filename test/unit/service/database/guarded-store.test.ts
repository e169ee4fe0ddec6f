import { describe, expect, test } from 'vitest';

import type { AlertStore } from '../../../../src/service/alerts/alert-store.ts';
import { DataFileError } from '../../../../src/service/database/data-file-error.ts';
import { guardStore } from '../../../../src/service/database/guarded-store.ts';

const sqliteError = (errcode: number, message: string) => Object.assign(new Error(message), { errcode });

/** A store whose reads of pages fail with `error`, and whose updates reject with it. */
function storeThatFails(error: Error): AlertStore {
  const readPage = () => {
    throw error;
  };
  const changeActive = async () => {
    throw error;
  };
  return { readPage, changeActive } as Partial<AlertStore> as AlertStore;
}

const page = { scope: 'subscriptions/One', after: 0, limit: 1 };
const change = {
  scope: 'subscriptions/One',
  alertName: 'A',
  isActive: true,
  modifier: { by: 'x', byType: 'Key', atMs: 0 },
} as const;

describe('a failure of the disk', () => {
  test.each([
    [11, 'malformed', 'data-file-damaged', 'The data file /d is damaged in the scope subscriptions/One: malformed.'],
    [
      522,
      'disk I/O error',
      'data-file-damaged',
      'The data file /d is damaged in the scope subscriptions/One: disk I/O error.',
    ],
    [13, 'database or disk is full', 'data-file-full', 'The disk of the data file /d is full.'],
    [
      1034,
      'disk I/O error',
      'data-file-failed',
      'The data file /d failed in the scope subscriptions/One: disk I/O error.',
    ],
    [8, 'readonly', 'data-file-failed', 'The data file /d failed in the scope subscriptions/One: readonly.'],
  ])('with the result code %i names its place', (errcode, message, code, sentence) => {
    const store = guardStore(storeThatFails(sqliteError(errcode, message)), '/d');
    const error = expect.objectContaining({ code, message: sentence }) as Error;
    expect(() => store.readPage(page)).toThrow(error);
  });

  test('of an update that waits names its alert', async () => {
    const store = guardStore(storeThatFails(sqliteError(11, 'malformed')), '/d');
    const message = 'The data file /d is damaged in the alert A of the scope subscriptions/One: malformed.';
    await expect(store.changeActive(change)).rejects.toMatchObject({ code: 'data-file-damaged', message });
  });
});

test.each([new Error('a bug'), new DataFileError('data-file-damaged', 'known')])('%s stays as it is', (error) => {
  expect(() => guardStore(storeThatFails(error), '/d').readPage(page)).toThrow(error);
});
