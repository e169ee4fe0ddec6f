import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from 'vitest';

import { startHttpServer, type RunningServer } from '../../../src/lib/http-server.ts';
import { downloadFile, readPublishedChecksum } from '../../../src/local/release-binaries.ts';
import { testMachine } from '../../support/rigs/local-machine.ts';

const content = Buffer.from('a program'.repeat(10_000));
const sha256 = createHash('sha256').update(content).digest('hex');

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(0)));
});

async function serve(listener: RequestListener): Promise<string> {
  const server = await startHttpServer({ host: '127.0.0.1', port: 0 }, listener);
  servers.push(server);
  return server.url;
}

const whole = (_: IncomingMessage, response: ServerResponse) => {
  response.setHeader('content-length', content.length);
  response.end(content);
};

function downloadTo(directory: string, url: string) {
  const path = join(directory, 'program');
  return {
    path,
    download: { url: `${url}/program`, checksum: { algorithm: 'sha256' as const, hex: sha256 }, path },
  };
}

describe('a download', () => {
  test('follows a redirect, as release sites send one, and is there whole', async () => {
    const { machine, directory } = testMachine();
    const url = await serve((request, response) => {
      if (request.url === '/elsewhere') whole(request, response);
      else response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const { path, download } = downloadTo(directory, url);
    await downloadFile(machine, download);
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  test('that is cut off is refused and leaves no file', async () => {
    const { machine, directory } = testMachine();
    const url = await serve((_, response) => {
      response.setHeader('content-length', content.length);
      response.write(content.subarray(0, 1000), () => response.destroy());
    });
    const { download } = downloadTo(directory, url);
    const before = readdirSync(directory);
    await expect(downloadFile(machine, download)).rejects.toThrow('Cannot download');
    expect(readdirSync(directory)).toEqual(before);
  });
});

describe('a published checksum', () => {
  test.each([`${sha256}\n`, `${sha256.toUpperCase()}  kubectl\n`])('is the first word of %j', async (body) => {
    const { machine } = testMachine();
    const url = await serve((_, response) => response.end(body));
    const checksum = await readPublishedChecksum(machine, url, 'sha256');
    expect(checksum).toEqual({ algorithm: 'sha256', hex: sha256 });
  });

  test.each(['<html>not found</html>', sha256.slice(1), 'z'.repeat(64)])('is not %j', async (body) => {
    const { machine } = testMachine();
    const url = await serve((_, response) => response.end(body));
    await expect(readPublishedChecksum(machine, url, 'sha256')).rejects.toThrow('does not contain a sha256 checksum');
  });
});
