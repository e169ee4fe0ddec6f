// The write of a status against a scripted API server over a socket: what is asked for, and what of the answer is used.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import type { ApiServerConnection } from '../../src/operator/kube/api-server-connection.ts';
import { createCustomResources } from '../../src/operator/kube/custom-resources.ts';
import { createKubeTransport } from '../../src/operator/kube/transport.ts';
import type { CustomResources } from '../../src/policy/custom-resources.ts';
import { connection, policy } from '../support/builders/objects.ts';
import { connectTo, json, startWatchServer, type WatchServer } from '../support/servers/watch-server.ts';

let server: WatchServer;
let sockets: ApiServerConnection;
let resources: CustomResources;

beforeEach(async () => {
  server = await startWatchServer();
  sockets = connectTo(server.url);
  resources = createCustomResources(createKubeTransport({ connection: sockets, clock: systemClock }));
});

afterEach(async () => {
  await sockets.close();
  await server.stop();
});

const before = policy();
const status = { observedGeneration: 1 };
const partial = (metadata: unknown) =>
  json(200, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });

describe('the write of the status of a policy', () => {
  it('asks for the metadata alone, and adds the spec and the status that it knows', async () => {
    const metadata = { ...before.metadata, resourceVersion: '77', labels: { theirs: 'yes' } };
    server.answerOthers(partial(metadata));
    const after = await resources.replacePolicyStatus(before, status);
    expect(after).toEqual({ ...before, metadata, status });
    expect(server.requests[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json',
    );
  });

  it('takes the metadata of a whole object too, from a server that does not know the form', async () => {
    const metadata = { ...before.metadata, resourceVersion: '77' };
    server.answerOthers(json(200, { ...before, metadata, status: { observedGeneration: 9 } }));
    await expect(resources.replacePolicyStatus(before, status)).resolves.toEqual({ ...before, metadata, status });
  });

  it.each([[undefined], [{}], [{ ...before.metadata, resourceVersion: 7 }], ['metadata']])(
    'does not count as answered by the metadata %j',
    async (metadata) => {
      server.answerOthers(partial(metadata));
      await expect(resources.replacePolicyStatus(before, status)).rejects.toMatchObject({
        code: 'kube-unreachable',
        reason: 'BadAnswer',
      });
    },
  );
});

it('the write of the status of a connection resolves with the stored object, so that a ledger entry counts only when the server has it', async () => {
  const stored = { ...connection(), status: { observedGeneration: 1, dismissals: [] } };
  server.answerOthers(json(200, stored));
  await expect(resources.replaceConnectionStatus(connection(), status)).resolves.toEqual(stored);
  expect(server.requests[0]?.headers.accept).toBe('application/json');
});
