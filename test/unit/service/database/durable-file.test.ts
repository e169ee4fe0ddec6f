// A file that appears complete or not at all, also when the power fails: what is synced, and when.
import fs from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { writeNewFile } from '../../../../src/service/database/durable-file.ts';
import { newFolder } from '../../../support/rigs/new-folder.ts';

let folder = '';
let file = '';
const { fsyncSync, linkSync } = fs;
beforeEach(async () => {
  folder = await newFolder();
  file = join(folder, 'new.db');
});
afterEach(async () => {
  replace({ fsyncSync, linkSync });
});

function replace(functions: Partial<typeof fs>): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}

const writeText = (text: string) => (unfinished: string) => writeFile(unfinished, text);

function failWith(code: string): () => never {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

test('the content is synced before the file appears, and the folder after it', async () => {
  const synced: unknown[] = [];
  replace({
    fsyncSync(descriptor) {
      const { ino, size } = fs.fstatSync(descriptor);
      synced.push({ ino, ...(ino === fs.statSync(folder).ino ? {} : { size }), appeared: fs.existsSync(file) });
      fsyncSync(descriptor);
    },
  });
  await writeNewFile(file, writeText('content'));
  expect(synced).toEqual([
    { ino: (await stat(file)).ino, size: 7, appeared: false },
    { ino: (await stat(dirname(file))).ino, appeared: true },
  ]);
});

test('nothing appears when it cannot be written', async () => {
  await expect(writeNewFile(file, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(await readdir(folder)).toEqual([]);
});

test.each(['EPERM', 'ENOSYS', 'EOPNOTSUPP', 'ENOTSUP'])(
  'on a file system that answers %s to a link, it is moved to its name',
  async (code) => {
    replace({ linkSync: failWith(code) });
    expect(await writeNewFile(file, writeText('content'))).toBeUndefined();
    expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['content', ['new.db']]);
  },
);

test('another failure of the link is reported, and leaves nothing behind', async () => {
  replace({ linkSync: failWith('EIO') });
  await expect(writeNewFile(file, writeText('content'))).rejects.toMatchObject({ code: 'EIO' });
  expect(await readdir(folder)).toEqual([]);
});

test('a file that appeared in the meantime stays, with and without links', async () => {
  const meanwhile = async (unfinished: string) => {
    await writeFile(unfinished, 'ours');
    await writeFile(file, 'theirs');
  };
  await expect(writeNewFile(file, meanwhile)).rejects.toMatchObject({ code: 'EEXIST' });
  replace({ linkSync: failWith('EPERM') });
  await expect(writeNewFile(file, meanwhile)).rejects.toMatchObject({ code: 'EPERM' });
  expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['theirs', ['new.db']]);
});
