// A proxy before PostgreSQL that ignores a startup parameter, as some poolers do.
import { connect, createServer, type AddressInfo } from 'node:net';

/** Answers with its port. */
export async function startForgetfulProxy(
  targetPort: number,
  ignored: string,
): Promise<{ port: number; stop(): void }> {
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: targetPort });
    client.once('data', (startup: Buffer) => {
      upstream.write(withoutParameter(startup, ignored));
      client.pipe(upstream);
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port, stop: () => void server.close() };
}

const headBytes = 8;

/** The message is its length, the version of the protocol, and names and values that end in a zero byte, as does the message. */
function withoutParameter(startup: Buffer, ignored: string): Buffer {
  const words = startup.subarray(headBytes).toString('latin1').split('\0');
  const at = words.indexOf(ignored);
  if (at >= 0) words.splice(at, 2);
  const kept = Buffer.concat([startup.subarray(0, headBytes), Buffer.from(words.join('\0'), 'latin1')]);
  kept.writeInt32BE(kept.length);
  return kept;
}
