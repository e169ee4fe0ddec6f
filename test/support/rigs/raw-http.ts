// One HTTP request written byte by byte, since clients refuse to send what servers have to survive.
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** How long a server may say nothing before it is said to hang. */
const silenceLimitMs = 300_000;

/** On a connection of its own. Rejects when the server hangs, or closes without a response. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(silenceLimitMs, () => socket.destroy(new Error('The server says nothing.')));
  const headers = { ...request.headers, 'content-length': String(request.body.length), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${request.method} ${onOneLine(request.target)} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.end(request.body);
  return parseAnswer((await buffer(socket)).toString('latin1'));
}

/** What would end the request line is encoded; everything else goes out as it is. */
function onOneLine(target: string): string {
  return target.toWellFormed().replaceAll(/[\0-\x20\x7f-\u{10ffff}]/gu, (character) => encodeURIComponent(character));
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!(status > 0)) throw new Error(`This is no answer: ${text.slice(0, 200)}`);
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*:\s*/, '')]);
  return {
    status,
    headers: Object.fromEntries(headers) as Record<string, string>,
    text: Buffer.from(text.slice(end + 4), 'latin1').toString('utf8'),
  };
}
