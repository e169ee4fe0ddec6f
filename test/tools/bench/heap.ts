// The live heap of a running Node process, by way of its inspector, which a signal opens.
import { readFile } from 'node:fs/promises';

import { WebSocket } from 'undici';

import type { Operator } from './operator.ts';
import { waitFor } from './wait.ts';

/** In MiB, after a full garbage collection. The inspector stays open, so nothing else is measured afterwards. */
export async function readLiveHeapMiB({ pid, logPath }: Operator): Promise<number> {
  process.kill(pid, 'SIGUSR1');
  const url = await waitFor('the inspector', { withinMs: 10_000, everyMs: 50 }, async () => {
    return /Debugger listening on (ws:\S+)/.exec(await readFile(logPath, 'utf8'))?.[1];
  });
  const socket = new WebSocket(url);
  try {
    await opened(socket);
    await ask(socket, 1, 'HeapProfiler.collectGarbage');
    const { usedSize } = await ask(socket, 2, 'Runtime.getHeapUsage');
    return (usedSize ?? NaN) / 1024 / 1024;
  } finally {
    socket.close();
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('the inspector refuses the connection')));
  });
}

function ask(socket: WebSocket, id: number, method: string): Promise<{ readonly usedSize?: number }> {
  return new Promise((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data)) as { id?: number; result?: { usedSize?: number } };
      if (answer.id === id) resolve(answer.result ?? {});
    });
    socket.send(JSON.stringify({ id, method }));
  });
}
