// The socket floor: what Node needs to move the bytes of the conversation. It writes requests that are ready beforehand to raw
// sockets, finds where each response ends, and parses and decides nothing else.
// `node socket-floor.mjs SCRIPT`; prints `done` and waits for the end of its standard input, so that it can be measured.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface FloorScript {
  readonly kube: { readonly host: string; readonly port: number; readonly certificateAuthority: string };
  readonly servicePort: number;
  /** Whole requests to the API server, sent before everything else. */
  readonly start: readonly string[];
  /** Whole requests, whose responses do not end. */
  readonly watches: readonly string[];
  /** What every worker repeats for its policies. */
  readonly policies: readonly PolicyScript[];
  /** The ends of the bodies, the same for all policies: of the status, and of each event. */
  readonly statusTail: string;
  readonly eventTails: readonly string[];
}

export interface PolicyScript {
  /** Whole requests to the alerts service. */
  readonly service: readonly string[];
  /** Requests to the API server without the tails of their bodies. */
  readonly status: string;
  readonly events: readonly string[];
}

const workers = 4;
const endOfHead = '\r\n\r\n';
const lastChunk = '0\r\n\r\n';

const script = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as FloorScript;

/** One request at a time, on a new connection when the server has ended the one before. */
class Channel {
  readonly #open: () => Promise<Socket>;
  #socket: Socket | undefined;
  #onEnd: () => void = () => undefined;
  /** Bytes of the body to come. Undefined before the end of the head; infinite when only the last chunk ends it. */
  #left: number | undefined;
  #tail = '';

  constructor(open: () => Promise<Socket>) {
    this.#open = open;
  }

  async exchange(request: string): Promise<void> {
    this.#socket ??= await this.#connect();
    const socket = this.#socket;
    await new Promise<void>((resolve, reject) => {
      this.#onEnd = resolve;
      this.#left = undefined;
      this.#tail = '';
      socket.once('close', () => reject(new Error('a connection ended without the response')));
      socket.write(request);
    });
    socket.removeAllListeners('close');
  }

  async #connect(): Promise<Socket> {
    const socket = await this.#open();
    return socket.setNoDelay(true).on('data', (chunk: Buffer) => this.#read(chunk));
  }

  #read(chunk: Buffer): void {
    let body = chunk.length;
    if (this.#left === undefined) {
      const head = chunk.indexOf(endOfHead);
      if (head === -1) throw new Error('the head of a response is in two pieces');
      const text = chunk.toString('latin1', 0, head);
      this.#left = bodyLength(text);
      if (/^connection: close$/im.test(text)) this.#socket = undefined;
      body -= head + endOfHead.length;
    }
    this.#left -= body;
    // No JSON contains the end of a chunk followed by an empty line.
    this.#tail = (this.#tail + chunk.toString('latin1', Math.max(0, chunk.length - lastChunk.length))).slice(
      -lastChunk.length,
    );
    if (this.#left === 0 || (this.#left === Infinity && this.#tail === lastChunk)) this.#onEnd();
  }
}

function bodyLength(head: string): number {
  const status = head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
  if (!status.startsWith('2')) throw new Error(`a request was answered ${status}`);
  if (status === '204') return 0;
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  return length === undefined ? Infinity : Number(length);
}

function openService(): Promise<Socket> {
  return Promise.resolve(connect(script.servicePort, '127.0.0.1'));
}

function openKube(): Promise<Socket> {
  const { host, port, certificateAuthority } = script.kube;
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port, ca: certificateAuthority }, () => resolve(socket)).once('error', reject);
  });
}

async function watch(request: string): Promise<void> {
  const socket = await openKube();
  socket.resume().write(request);
}

async function work(left: PolicyScript[]): Promise<void> {
  const service = new Channel(openService);
  const kube = new Channel(openKube);
  for (let policy = left.pop(); policy !== undefined; policy = left.pop()) {
    for (const request of policy.service) await service.exchange(request);
    await kube.exchange(policy.status + script.statusTail);
    for (const [index, event] of policy.events.entries()) await kube.exchange(event + script.eventTails[index]);
  }
}

const first = new Channel(openKube);
for (const request of script.start) await first.exchange(request);
for (const request of script.watches) await watch(request);
const left = [...script.policies].reverse();
await Promise.all(Array.from({ length: workers }, () => work(left)));
process.stdout.write('done\n');
process.stdin.resume().once('end', () => process.exit(0));
