import { expect, test } from 'vitest';

import { isMountedAlone } from '../../../../src/service/database/mounted-file.ts';

const mounts = String.raw`
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
42 27 254:0 /srv/state.db /data/state.db rw,relatime - ext4 /dev/vda rw
43 27 254:0 /srv/other.db /data/of\040two\134words.db rw,relatime shared:1 - ext4 /dev/vda rw
44 27 254:0 /srv/folder /folder rw,relatime - ext4 /dev/vda rw
`;

test.each([
  ['/data/state.db', true],
  [String.raw`/data/of two\words.db`, true],
  ['/srv/state.db', false],
  ['/data/state', false],
  ['/folder/state.db', false],
])('the file %s is mounted alone: %s', (path, isAlone) => {
  expect(isMountedAlone(path, mounts)).toBe(isAlone);
});

test('a file of this system is not', () => {
  expect(isMountedAlone(import.meta.filename)).toBe(false);
});
