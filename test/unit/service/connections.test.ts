// Which connection makes room at the limit, and what the metrics and the log say of it.
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { expect, it } from 'vitest';

import type { Logger } from '../../../src/lib/log.ts';
import { Connections } from '../../../src/service/http/connections.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  isOpen = true;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.isOpen = false;
    this.emit('close');
  }
}

class Rig {
  readonly clock = new ManualClock();
  readonly lines: object[] = [];
  readonly seen: (number | string)[] = [];
  readonly connections: Connections;
  readonly #server = new EventEmitter();
  #ports = 0;

  constructor(maxConnections: number) {
    this.connections = new Connections({
      maxConnections,
      clock: this.clock,
      log: { warn: (fields: object) => void this.lines.push(fields) } as unknown as Logger,
      observer: {
        connectionsOpen: (count) => void this.seen.push(count),
        connectionCut: (reason) => void this.seen.push(reason),
      },
    });
    this.connections.watch(this.#server as unknown as Server);
  }

  open(address: string, port = (this.#ports += 1)): FakeSocket {
    const socket = new FakeSocket(address, port);
    this.#server.emit('connection', socket);
    return socket;
  }

  /** The same connection after its TLS handshake. */
  secure({ remoteAddress, remotePort }: FakeSocket): FakeSocket {
    const socket = new FakeSocket(remoteAddress, remotePort);
    this.#server.emit('secureConnection', socket);
    return socket;
  }

  of(socket: FakeSocket) {
    return this.connections.of(socket as unknown as Socket);
  }
}

const [many, few, other] = ['10.0.0.1', '10.0.0.2', '10.0.0.3'] as const;

it('the client with the most connections makes room, not the one that has been idle for longest', () => {
  const rig = new Rig(3);
  const sockets = [rig.open(few), rig.open(many), rig.open(many)];
  rig.open(other);
  expect(sockets.map(({ isOpen }) => isOpen)).toEqual([true, false, true]);
});

it('a client takes no place of one with fewer connections', () => {
  const rig = new Rig(3);
  const sockets = [rig.open(few), rig.open(many), rig.open(many)];
  for (const socket of sockets.slice(1)) rig.of(socket).answering = 1;
  expect(rig.open(many).isOpen).toBe(false);
  expect(sockets.map(({ isOpen }) => isOpen)).toEqual([true, true, true]);
  expect(rig.open(other).isOpen).toBe(true);
  expect(sockets.map(({ isOpen }) => isOpen)).toEqual([false, true, true]);
});

it('a client that closes one of its connections still counts with the others', () => {
  const rig = new Rig(3);
  const [first, ...rest] = [rig.open(many), rig.open(many), rig.open(many)];
  first?.destroy();
  const single = rig.open(few);
  rig.open(other);
  expect([...rest, single].map(({ isOpen }) => isOpen)).toEqual([false, true, true]);
});

it('the addresses of one IPv6 network count as one client', () => {
  const rig = new Rig(3);
  const sockets = [rig.open(few), rig.open('2001:db8::1'), rig.open('2001:db8::2')];
  rig.open(other);
  expect(sockets.map(({ isOpen }) => isOpen)).toEqual([true, false, true]);
});

it('a response makes a connection the last to go', () => {
  const rig = new Rig(2);
  const [first, second] = [rig.open(many), rig.open(many)];
  rig.connections.touch(rig.of(first));
  rig.open(other);
  expect([first.isOpen, second.isOpen]).toEqual([true, false]);
});

it('a TLS connection is one connection, from its handshake to its end', () => {
  const rig = new Rig(2);
  const below = rig.open(many);
  const socket = rig.secure(below);
  rig.open(few);
  rig.connections.touch(rig.of(socket));
  expect(rig.of(socket)).toBe(rig.of(below));
  rig.of(socket).answering = 1;
  expect(rig.open(other).isOpen).toBe(true);
  expect(socket.isOpen).toBe(true);
  rig.of(socket).answering = 0;
  rig.open(other);
  expect(socket.isOpen).toBe(false);
  expect(rig.seen).toEqual([1, 2, 1, 'idle', 2, 1, 'idle', 2]);
});

it('one line a minute has the numbers since the line before', async () => {
  const rig = new Rig(1);
  for (let opened = 0; opened < 4; opened++) rig.open(many);
  expect(rig.lines).toEqual([{ maxConnections: 1, idle: 1, refused: 0 }]);
  await rig.clock.advance(59_999);
  rig.open(many);
  expect(rig.lines).toHaveLength(1);
  await rig.clock.advance(1);
  rig.of(rig.open(many)).answering = 1;
  rig.open(many);
  await rig.clock.advance(60_000);
  rig.open(many);
  expect(rig.lines.slice(1)).toEqual([
    { maxConnections: 1, idle: 4, refused: 0 },
    { maxConnections: 1, idle: 0, refused: 2 },
  ]);
});

it('a connection that ends unnoticed, and whose port is used again, counts no longer', () => {
  const rig = new Rig(3);
  const ended = [1000, 1001].map((port) => rig.open('203.0.113.1', port));
  const again = [1000, 1001].map((port) => rig.open('203.0.113.1', port));
  for (const socket of [...ended, ...again]) socket.destroy();
  expect(rig.seen.at(-1)).toBe(0);
  const [quiet] = [rig.open('203.0.113.1'), rig.open('203.0.113.2'), rig.open('203.0.113.2')];
  rig.open('203.0.113.3');
  expect(quiet?.isOpen).toBe(true);
});
