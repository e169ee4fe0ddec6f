// How one status is written: once where it differs, again after a conflict, and never into another object.
import { describe, expect, test } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import type { StatusCause } from '../../../../src/operator/decide/conclude.ts';
import type { Correction } from '../../../../src/operator/decide/writes.ts';
import type { ClusterPort, Observer } from '../../../../src/operator/ports.ts';
import { writePolicyStatus } from '../../../../src/operator/scope/policy-status-writer.ts';
import type { RoleAlertPolicyStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import { alertName, nowMs, policy } from '../../../support/builders/objects.ts';

const signal = new AbortController().signal;
const key = 'team/owners';

/** An API server with one policy, a cache of it, and every report of a write. */
class Server {
  /** What each write is answered with, in order; then all succeed. */
  answers: (ErrorCode | undefined)[] = [];
  stored: RoleAlertPolicy | undefined = policy();
  cached: RoleAlertPolicy | undefined = policy();
  readonly written: RoleAlertPolicyStatus[] = [];
  readonly reports: string[] = [];
  reads = 0;
  tries = 0;
  /** What the operator says that it is just writing, during each try. */
  readonly announced: boolean[] = [];
  readonly writing = new Map<string, RoleAlertPolicyStatus>();

  record(cause: StatusCause = seen, planned = policy()): Promise<void> {
    const effective = { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' } as const;
    const input = { policy: planned, cause, effective, connection: 'Connected', nowMs } as const;
    return writePolicyStatus(this.#deps(), input, signal);
  }

  #deps(): Parameters<typeof writePolicyStatus>[0] {
    const cluster = {
      policies: {
        get: () => this.cached,
        list: () => [],
        remember: (object: RoleAlertPolicy) => void (this.cached = object),
      },
      readPolicy: async () => {
        this.reads++;
        return this.stored;
      },
      replacePolicyStatus: async (object: RoleAlertPolicy, status: RoleAlertPolicyStatus) => {
        this.tries++;
        this.announced.push(this.writing.get(key) === status);
        const code = this.answers.shift();
        if (code) throw errorOf(code, 'made to fail');
        this.written.push(status);
        return {
          ...object,
          metadata: { ...object.metadata, resourceVersion: `${object.metadata.resourceVersion}+1` },
          status,
        };
      },
    } as unknown as ClusterPort;
    const report = (facts: object, message: string) =>
      void this.reports.push(`${message} ${Object.values(facts).slice(0, 5).join(' ')}`);
    return {
      cluster,
      writing: this.writing,
      events: {
        record: ({ reason, regarding }) => void this.reports.push(`${reason} ${Object.values(regarding).join(' ')}`),
      },
      observer: { statusWritten: (kind: string) => void this.reports.push(`written ${kind}`) } as Observer,
      log: { ...silentLogger, info: report, warn: report },
    };
  }
}

const correction: Correction = {
  alert: alertName,
  isActive: true,
  cause: 'Declared',
  policyKey: key,
  actor: 'User',
  seenAtMs: nowMs,
};
const seen: StatusCause = {
  kind: 'listed',
  decision: { policy: policy(), key, alerts: [] },
  corrections: [correction],
};
const conflicts = (count: number) => Array<ErrorCode>(count).fill('kube-conflict');

test('writes and caches a status that differs, logs its conditions, and emits its events', async () => {
  const server = new Server();
  await server.record();
  expect(server.written).toHaveLength(1);
  expect(server.cached?.status).toEqual(server.written[0]);
  expect(server.reports).toEqual([
    'written policy',
    'condition changed RoleAlertPolicy team owners Ready True',
    'condition changed RoleAlertPolicy team owners InSync True',
    'condition changed RoleAlertPolicy team owners ConnectionReady True',
    'condition changed RoleAlertPolicy team owners IncidentsOpen False',
    'DriftCorrected rolealerts.dev/v1alpha1 RoleAlertPolicy owners team uid-owners',
  ]);
});

test('writes and reports nothing when the status does not differ', async () => {
  const server = new Server();
  const cause: StatusCause = { kind: 'no-connection' };
  await server.record(cause);
  server.reports.length = 0;
  await server.record(cause, server.cached);
  expect([server.tries, server.reports]).toEqual([1, []]);
});

test('the watch knows the pending write while it is in progress, and not afterwards', async () => {
  const server = new Server();
  server.answers = ['kube-denied'];
  await expect(server.record()).rejects.toMatchObject({ code: 'kube-denied' });
  expect(server.writing.size).toBe(0);
  server.answers = conflicts(1);
  await server.record();
  expect([server.announced, server.writing.size]).toEqual([[true, true, true], 0]);
});

describe('after a conflict', () => {
  test('the policy is read again and written, with the generation that was planned', async () => {
    const server = new Server();
    server.answers = conflicts(1);
    server.stored = policy({ metadata: { generation: 7, resourceVersion: '9' } });
    await server.record({ kind: 'no-connection' });
    expect([server.reads, server.written]).toMatchObject([1, [{ observedGeneration: 1 }]]);
    expect(server.cached?.metadata.resourceVersion).toBe('9+1');
  });

  test('the status of a newer spec stays, unless there are corrections to record', async () => {
    const server = new Server();
    server.answers = conflicts(1);
    const status = { ...policy().status, observedGeneration: 7 } as RoleAlertPolicyStatus;
    server.stored = policy({ metadata: { generation: 7, resourceVersion: '9' }, status });
    await server.record({ kind: 'no-connection' });
    expect([server.reads, server.written]).toEqual([1, []]);
    server.answers = conflicts(1);
    server.cached = policy();
    await server.record(seen);
    expect(server.written).toHaveLength(1);
  });

  test('it is tried five times in all', async () => {
    const server = new Server();
    server.answers = conflicts(5);
    await expect(server.record()).rejects.toMatchObject({ code: 'kube-conflict' });
    expect([server.tries, server.reads]).toEqual([5, 4]);
    server.answers = conflicts(4);
    await server.record();
    expect([server.tries, server.reads, server.written.length]).toEqual([10, 8, 1]);
  });

  test('another policy under the same name is left alone', async () => {
    const server = new Server();
    server.answers = conflicts(1);
    server.stored = policy({ metadata: { uid: 'another' } });
    await server.record();
    expect([server.tries, server.written, server.reports]).toEqual([1, [], []]);
  });

  test('a policy that is gone is left alone', async () => {
    const server = new Server();
    server.answers = conflicts(1);
    [server.stored, server.cached] = [undefined, undefined];
    await server.record();
    expect([server.tries, server.written]).toEqual([1, []]);
  });

  test('a policy that is only not found, and not gone by the watch, is due again', async () => {
    const server = new Server();
    server.answers = conflicts(1);
    server.stored = undefined;
    await expect(server.record()).rejects.toMatchObject({ code: 'object-missing', detail: key });
  });
});

describe('a write that finds no policy', () => {
  test.each([
    ['is done when the watch says that it is gone', undefined],
    ['is done when the watch says that it was replaced', policy({ metadata: { uid: 'another' } })],
  ])('%s', async (_, cached) => {
    const server = new Server();
    server.answers = ['kube-not-found'];
    server.cached = cached;
    await server.record();
    expect([server.reads, server.written, server.reports]).toEqual([0, [], []]);
  });

  test('is due again when the watch has it still', async () => {
    const server = new Server();
    server.answers = ['kube-not-found'];
    await expect(server.record()).rejects.toMatchObject({ code: 'kube-not-found' });
    expect(server.reads).toBe(0);
  });
});
