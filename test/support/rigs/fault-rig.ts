// The alerts service with a fault script, and a socket that keeps every byte, for tests of what a client receives.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { startAlertsService } from '../../../src/service/server.ts';
import type { AlertsServiceOptions } from '../../../src/service/service-options.ts';
import { seed } from '../servers/alerts-service-cases.ts';
import { sendOverSocket, serviceOptions, staticToken, type Sent } from '../servers/alerts-service.ts';

/** What has to be stopped after a test, the last one first. */
export type Stops = (() => unknown)[];

/** With one rule, whose fault is `fault`, unless the options say otherwise. Without an audit trail, so that all timers are those of faults. */
export async function startFaulty(stops: Stops, fault: object, options: Partial<AlertsServiceOptions> = {}) {
  const withFault = { seed, faults: { rules: [{ fault }] }, auditRetentionMs: 0 };
  const service = await startAlertsService(serviceOptions({ ...withFault, ...options }));
  stops.push(() => service.stop());
  const send = (sent: Sent) => sendOverSocket(service.url, { ...sent, expectsFault: true });
  const isActive = async () =>
    ((await service.alerts.readAlert('subscriptions/one', 'A')) as { properties: { isActive: boolean } }).properties
      .isActive;
  return { ...service, send, isActive };
}

interface Wire {
  readonly socket: Socket;
  readonly received: () => Buffer;
  readonly isOver: () => boolean;
  /** What came after the headers. */
  readonly bodyBytes: () => number;
}

/** Sends a request and keeps every byte that comes back until the other side closes. */
export async function openWire(
  stops: Stops,
  url: string,
  { method = 'GET', target, headers = {}, body = '' }: Sent,
): Promise<Wire> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  stops.push(() => socket.destroy());
  await once(socket, 'connect');
  const lines = Object.entries({ ...headers, host: 'service.test', authorization: `Bearer ${staticToken}` });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`${method} ${target} HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body.toString()}`);
  const chunks: Buffer[] = [];
  let isOver = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.on('close', () => (isOver = true));
  const received = () => Buffer.concat(chunks);
  const bodyBytes = () => {
    const end = received().indexOf('\r\n\r\n');
    return end < 0 ? -1 : received().length - end - 4;
  };
  return { socket, received, bodyBytes, isOver: () => isOver };
}
