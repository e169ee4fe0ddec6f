import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeWatchLine } from '../../../../src/operator/kube/watcher.ts';

const whole = {
  name: expect.stringMatching(/./s) as string,
  uid: expect.stringMatching(/./s) as string,
  resourceVersion: expect.stringMatching(/./s) as string,
};

const types = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR', 'unreadable'];

describe('reading a line of a watch', () => {
  it('gives an event or says that there is none, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(types).toContain(decodeWatchLine(Buffer.from(bytes)).type);
      }),
    );
  });

  it('never gives an object without a name, a uid and a version', () => {
    const metadata = fc.record(
      { name: fc.jsonValue(), uid: fc.jsonValue(), resourceVersion: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const object = fc.oneof(fc.jsonValue(), fc.record({ metadata: fc.oneof(metadata, fc.jsonValue()) }));
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...types), fc.string()), object, (type, object) => {
        const event = decodeWatchLine(Buffer.from(JSON.stringify({ type, object })));
        const { metadata } =
          'object' in event ? event.object : { metadata: { name: 'a', uid: 'u', resourceVersion: '1' } };
        expect(metadata).toMatchObject(whole);
      }),
    );
  });
});
