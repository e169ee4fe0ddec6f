// The checksums of a stored alert. Data files contain them, so every version has to compute the same ones.
import { expect, test } from 'vitest';

import { alertChecksum, documentChecksum } from '../../../src/service/alerts/alert-checksum.ts';

const alert = { scope_key: 's', alert_key: 'a', is_active: 1, system_data: null };
const document = { scope_key: 's', alert_key: 'a', members: '"name":"A"', properties: '"scope":"s"' };

test('are the CRC-32 of the parts, each after a zero byte, so that a data file stays sound in a later version', () => {
  // zlib.crc32(b'\0s\0a\x001\0\x01') and the like, in Python.
  expect(alertChecksum(alert)).toBe(1_314_845_715);
  expect(alertChecksum({ ...alert, is_active: 0, system_data: '{"createdBy":"é"}' })).toBe(4_063_665_678);
  expect(documentChecksum(document)).toBe(1_454_828_415);
});

test('differ where a part moves from one member to the next', () => {
  const sums = [
    alertChecksum(alert),
    alertChecksum({ ...alert, scope_key: 'sa', alert_key: '' }),
    alertChecksum({ ...alert, scope_key: '', alert_key: 'sa' }),
    alertChecksum({ ...alert, system_data: '' }),
    alertChecksum({ ...alert, system_data: 'null' }),
    documentChecksum(document),
    documentChecksum({ ...document, members: document.properties, properties: document.members }),
  ];
  expect(new Set(sums).size).toBe(sums.length);
});
