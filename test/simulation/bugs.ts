// Ten deliberate bugs, each a small change of the source: the simulation has to find every one of them, or it proves nothing.
// `node test/simulation/find-bugs.ts` makes them one by one in a copy.

export interface DeliberateBug extends Edit {
  readonly name: string;
  /** What else has to go, because a second guard stands behind the first. */
  readonly behind?: Edit;
}

export interface Edit {
  readonly file: string;
  /** Stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}

export const deliberateBugs: readonly DeliberateBug[] = [
  {
    name: 'drop the verification',
    file: 'src/controller/look.ts',
    find: 'const verified = applied.error ?? (await verify(client, gathered, pass.signal, applied.reservation));',
    replace: `const verified = applied.error ?? {
      ...first,
      alerts: first.alerts.map((alert) => {
        const write = applied.sent.get(alert.name.toLowerCase());
        return write ? { ...alert, isActive: write.isActive } : alert;
      }),
    };
    void verify;`,
  },
  {
    name: 'check the lease long before the send',
    file: 'src/controller/apply.ts',
    find: '    reservation = await tools.client.reserve(',
    replace: `    tools.checkMayWrite();
    tools = { ...tools, checkMayWrite: () => undefined };
    reservation = await tools.client.reserve(`,
    behind: {
      file: 'src/alert-client/transport.ts',
      find: 'if (clock.monotonic() - startMs >= timeoutMs) throw deadlinePassed();',
      replace: 'void startMs;',
    },
  },
  {
    name: 'forget the Retry-After',
    file: 'src/alert-client/client.ts',
    find: "if (isOperatorError(judgement, 'service-busy')) budget.pauseUntil(clock.now() + (judgement.retryAfterMs ?? 0));",
    replace: '',
  },
  {
    name: 'plan from a partial list',
    file: 'src/alert-client/pages.ts',
    find: 'const page = decodePage(await readPage(target));',
    replace: `const answer = await readPage(target).catch((error) => (alerts.length > 0 ? undefined : Promise.reject(error)));
    if (answer === undefined) break;
    const page = decodePage(answer);`,
  },
  {
    name: 'lose a requeue',
    file: 'src/controller/lane.ts',
    find: "if (nextLookMs !== undefined) this.add(key, 'resync', nextLookMs);",
    replace: "if (nextLookMs !== undefined && nextLookMs >= 5000) this.add(key, 'resync', nextLookMs);",
  },
  {
    name: 'ignore the uid',
    file: 'src/controller/record.ts',
    find: 'if (fresh?.metadata.uid !== uid) return;',
    replace: 'if (!fresh) return;\n    void uid;',
  },
  {
    name: 'reuse a stale token',
    file: 'src/alert-client/tokens.ts',
    find: '    this.#kept = undefined;\n    this.#replacedAtMs = nowMs;\n    return true;',
    replace: '    this.#replacedAtMs = nowMs;\n    return true;',
  },
  {
    name: 'write an unchanged status',
    file: 'src/controller/record.ts',
    find: 'if (isSameJson(status, policy.status)) {',
    replace: 'if (isSameJson(status, undefined)) {',
  },
  {
    name: 'treat unknown severity as low',
    file: 'src/policy/severity.ts',
    find: 'return rank === -1 ? 2 : rank;',
    replace: 'return rank === -1 ? 0 : rank;',
  },
  {
    name: 'forget the ledger on delete',
    file: 'src/controller/gather.ts',
    find: 'const ledger = connection ? session.recorder.entriesOf(ref.scope) : [];',
    replace: `const isDeclared = policies.some(({ isOwn }) => isOwn);
  const ledger = connection && isDeclared ? session.recorder.entriesOf(ref.scope) : [];`,
  },
];
