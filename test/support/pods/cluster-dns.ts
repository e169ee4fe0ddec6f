// The names of Services for pods: NAME.NAMESPACE.svc.cluster.local has the address of the Service, and no other name exists.
import { createSocket } from 'node:dgram';

import { Agent, fetch } from 'undici';

import type { ControlPlane } from '../../../src/local/control-plane.ts';

const headerBytes = 12;
const answered = 0x8180;
const noSuchName = 0x8183;

export function startClusterDns(
  address: string,
  { url, certificateAuthority, adminToken }: Pick<ControlPlane, 'url' | 'certificateAuthority' | 'adminToken'>,
): void {
  const dispatcher = new Agent({ connect: { ca: certificateAuthority } });
  const headers = { authorization: `Bearer ${adminToken.reveal()}` };
  const addressOf = async (name: string) => {
    const [, service, namespace] = /^([^.]+)\.([^.]+)\.svc\.cluster\.local$/.exec(name) ?? [];
    if (service === undefined) return undefined;
    const response = await fetch(`${url}/api/v1/namespaces/${namespace}/services/${service}`, { dispatcher, headers });
    const { spec } = (await response.json()) as { spec?: { clusterIP: string } };
    return spec?.clusterIP;
  };
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address: client }) => {
    const { name, end } = questionOf(query);
    void addressOf(name)
      .catch(() => undefined)
      .then((found) => socket.send(answerTo(query.subarray(0, end), found), port, client));
  });
  socket.bind(53, address);
}

/** `end`: where the question ends, which includes its type and class. */
function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

/** A question about IPv6 has the answer that the name exists, without an address. */
function answerTo(question: Buffer, address: string | undefined): Buffer {
  const isIPv4 = question.readUInt16BE(question.length - 4) === 1;
  const record =
    address === undefined || !isIPv4
      ? []
      : [0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)];
  const answer = Buffer.concat([question, Buffer.from(record)]);
  answer.writeUInt16BE(address === undefined ? noSuchName : answered, 2);
  answer.writeUInt16BE(record.length > 0 ? 1 : 0, 6);
  answer.fill(0, 8, headerBytes);
  return answer;
}
