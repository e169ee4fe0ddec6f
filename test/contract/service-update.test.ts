// Updating one alert (section 4.2): the bodies and media types that are taken, and those that change nothing.
import { describe, expect, test } from 'vitest';

import { alertA, startService, json, sharedService, turnOff } from '../support/servers/alerts-service-cases.ts';
import { errorOf } from '../support/servers/alerts-service.ts';

const shared = sharedService();
describe('updates', () => {
  test.each([
    ['an extra member', '{"properties":{"isActive":false},"extra":1}', 'InvalidBody'],
    ['an extra property', '{"properties":{"isActive":false,"incidentCount":0}}', 'InvalidBody'],
    ['a text for the flag', '{"properties":{"isActive":"false"}}', 'InvalidBody'],
    ['a number for the flag', '{"properties":{"isActive":0}}', 'InvalidBody'],
    ['null for the flag', '{"properties":{"isActive":null}}', 'InvalidBody'],
    ['no flag', '{"properties":{}}', 'InvalidBody'],
    ['the flag outside of properties', '{"isActive":false}', 'InvalidBody'],
    ['no properties', '{}', 'InvalidBody'],
    ['null for properties', '{"properties":null}', 'InvalidBody'],
    ['a list', '[{"properties":{"isActive":false}}]', 'InvalidBody'],
    ['a bare flag', 'false', 'InvalidBody'],
    ['null', 'null', 'InvalidBody'],
    ['the flag twice', '{"properties":{"isActive":true,"isActive":false}}', 'InvalidBody'],
    ['properties twice', '{"properties":{"isActive":true},"properties":{"isActive":false}}', 'InvalidBody'],
    ['a prototype', '{"properties":{"isActive":false},"__proto__":{}}', 'InvalidBody'],
    ['half of it', '{"properties":{"isActive":false}', 'MalformedJson'],
    ['nothing', '', 'MalformedJson'],
    ['a comment', '{"properties":{"isActive":false}} // off', 'MalformedJson'],
    ['a form', 'isActive=false', 'MalformedJson'],
  ])('not with %s in the body', async (_, body, code) => {
    const service = await shared();
    expect(errorOf(await service.send({ ...turnOff, body }))).toBe(`400 ${code}`);
    expect((await service.alerts.readAlert('subscriptions/one', 'A'))?.['properties']).toMatchObject({
      isActive: true,
    });
  });

  test('not with bytes that are not UTF-8', async () => {
    const service = await shared();
    const body = Uint8Array.from([...Buffer.from('{"properties":{"isActive":false}}'), 0xff]);
    expect(errorOf(await service.send({ ...turnOff, body }))).toBe('400 MalformedJson');
  });

  test.each([
    ['no media type', { 'content-type': '' }],
    ['another media type', { 'content-type': 'text/plain' }],
    ['a merge patch', { 'content-type': 'application/merge-patch+json' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['a compressed body', { ...json, 'content-encoding': 'gzip' }],
  ])('not with %s', async (_, headers) => {
    const service = await shared();
    const received = await service.send({ ...turnOff, headers });
    expect(errorOf(received)).toBe('415 UnsupportedMediaType');
    const accepted = { 'accept-patch': 'application/json', 'accept-encoding': 'identity' };
    expect(received.headers).toMatchObject(accepted);
  });

  test('with the media type that OPTIONS names', async () => {
    const service = await shared();
    const { status, headers } = await service.send({ method: 'OPTIONS', target: alertA });
    expect([status, headers['accept-patch']]).toEqual([204, 'application/json']);
  });

  test('with a charset that says UTF-8', async () => {
    const service = await startService();
    const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' };
    expect((await service.send({ ...turnOff, headers })).status).toBe(204);
  });
});
