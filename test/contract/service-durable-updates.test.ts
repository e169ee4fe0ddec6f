// An acknowledged update is on disk, and every later list shows it: how the file is synced, the order of commit and answer, and pages
// from before an update.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { startAlertsService } from '../../src/service/server.ts';
import { parseAnswer } from '../support/rigs/raw-http.ts';
import { startService, json, listOne } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  listOf,
  listPath,
  serviceOptions,
  staticToken,
  type ListBody,
  type Received,
  type Sent,
  type ServiceUnderTest,
} from '../support/servers/alerts-service.ts';

const alerts = ['A', 'B', 'C', 'D', 'E'];
const turn = (name: string, isActive: boolean): Sent => ({
  method: 'PATCH',
  target: `/subscriptions/one${listPath}/${name}?${apiVersion}`,
  headers: json,
  body: JSON.stringify({ properties: { isActive } }),
});

type Send = (sent: Sent) => Promise<Received>;

/** The flags of the scope by name, from all its pages. */
async function listedFlags(send: Send, origin: string): Promise<Record<string, unknown>> {
  const flags: Record<string, unknown> = {};
  for (let target: string | undefined = listOne; target !== undefined;) {
    const page: ListBody = listOf(await send({ target }));
    for (const { name, properties } of page.value) flags[name] = properties['isActive'];
    target = page.nextLink?.slice(origin.length);
  }
  return flags;
}

/** Lists so often that every page is cached. */
async function listOften(send: Send, origin: string): Promise<void> {
  for (let lists = 0; lists < 3; lists++) await listedFlags(send, origin);
}

const start = async () => {
  const service: ServiceUnderTest = await startService({ pageSize: 2 });
  const send: Send = (sent) => service.send(sent);
  return { send, origin: service.origin };
};

test('each of several updates at the same time is in every list after its response, on each page', async () => {
  const { send, origin } = await start();
  for (let round = 0; round < 3; round++) {
    const isActive = round % 2 === 0;
    await listOften(send, origin);
    const update = async (name: string) => {
      const response = await send(turn(name, isActive));
      return [response.status, await listedFlags(send, origin)];
    };
    const others = Array.from({ length: 5 }, () => listedFlags(send, origin));
    const seen = await Promise.all(alerts.map(update));
    await Promise.all(others);
    expect(seen).toEqual(alerts.map((name) => [204, expect.objectContaining({ [name]: isActive })]));
    expect(await listedFlags(send, origin)).toEqual(Object.fromEntries(alerts.map((name) => [name, isActive])));
  }
});

/** As it is written on a connection. */
function rawText({ method = 'GET', target, headers = {}, body: content = '' }: Sent): string {
  const body = String(content);
  const all = { host: 'x', authorization: `Bearer ${staticToken}`, 'content-length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

test('a list that a client sends right behind an update, without waiting for its response, shows the update', async () => {
  const value = alerts.map((name) => ({ name }));
  const service = await startAlertsService(serviceOptions({ seed: { scopes: { 'subscriptions/one': { value } } } }));
  try {
    for (const isActive of [true, false, true]) {
      const sent = [turn('A', isActive), { target: listOne }, { target: listOne, headers: { connection: 'close' } }];
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.write(sent.map(rawText).join(''));
      const [updated, ...lists] = (await text(socket)).split(/(?=HTTP\/1\.1 )/);
      expect(updated).toMatch(/^HTTP\/1\.1 204 /);
      const flags = lists.map((list) => listOf(parseAnswer(list) as Received).value[0]?.properties['isActive']);
      expect(flags).toEqual([isActive, isActive]);
    }
  } finally {
    await service.stop();
  }
});
