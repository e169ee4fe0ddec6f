// Bugs about the steps of a reconcile (list, verify, record, schedule), its rate limiter and its metrics.
import type { DeliberateBug } from '../bugs.ts';
import { endsSlowly } from './sending.ts';

export const reconcileBugs: readonly DeliberateBug[] = [
  {
    name: 'predict from the pages of the first list',
    find: `if (state.pages !== before.pages) this.demand.invalidate(scope);
    else if (state.streak.cause === before.streak.cause) return;
    this.statusWriter.refreshSoon();`,
    replace: 'if (state.pages !== before.pages) this.demand.invalidate(scope);',
    story: 'a scope that grows by a page',
  },
  {
    name: 'call every rate limit sufficient',
    find: "if (needed <= allowed) return { status: 'True', reason: 'BudgetSufficient', facts: { needed, allowed } };",
    replace: "return { status: 'True', reason: 'BudgetSufficient', facts: { needed, allowed } };",
    story: 'a rate limit that is too small',
  },
  {
    name: 'report a rate limit at every write',
    find: `const wasTooSmall = conditionOf(before, 'Capacity')?.status === 'False';
  if (note === undefined || status === 'Unknown' || (status === 'False') === wasTooSmall) return undefined;`,
    replace: `const wasTooSmall = false;
  if (note === undefined || status === 'Unknown' || (status === 'False') === wasTooSmall) return undefined;`,
    story: 'a rate limit that is too small',
  },
  {
    name: 'let the predicted requests only rise',
    find: 'facts.isFirstRound && needed < before && loads.length > 0',
    replace: 'needed < before && loads.length > 0',
    story: 'a scope that grows by a page',
  },
  {
    name: 'keep the demand of a scope that was edited',
    story: 'a refusal after a lost answer',
    find: 'new PolicyIndex(({ connection, scope }) => this.#registry.get(connection)?.demand.invalidate(scope))',
    replace: 'new PolicyIndex(() => undefined)',
  },
  {
    name: 'drop the verification',
    story: 'an activation that the next list shows',
    find: `if (list instanceof CodedError) return planned(session.plan(), 'Unverified', { error: unlessAborted(context, list) });
      const verified = session.plan(list);`,
    replace: `if (list instanceof CodedError) return planned(session.plan(), 'Unverified', { error: unlessAborted(context, list) });
      const verified = session.plan();`,
  },
  {
    name: 'check the lease long before the send',
    story: 'a process sleeps before it sends an activation',
    find: `const { runtime } = attempt.context;
  // The end of a dismissal overtakes resyncs and the rest of a large plan.
  const call = { ...callOptions(attempt.context), ...(actions.some(endsDismissal) && { priority: 'high' as const }) };`,
    replace: `const { deps, runtime } = attempt.context;
  const isLeading = deps.mayWrite();
  attempt = { ...attempt, context: { ...attempt.context, deps: { ...deps, mayWrite: () => isLeading } } };
  const call = { ...callOptions(attempt.context), ...(actions.some(endsDismissal) && { priority: 'high' as const }) };`,
    behind: [
      {
        find: `checkDeadline();
        request.beforeSend?.();`,
        replace: 'request.beforeSend?.();',
      },
    ],
  },
  {
    name: 'forget the Retry-After',
    find: `if (isAlertsError(interpretation, 'service-busy'))
        rateLimiter.throttleFor(interpretation.retryAfterMs ?? 0);`,
    replace: '',
  },
  {
    name: 'plan from a partial list',
    story: 'a list whose second page fails',
    find: 'const page = decodePage(await readPage(target), mostAlerts - alerts.length);',
    replace: `const response = await readPage(target).catch((error) => (alerts.length > 0 ? undefined : Promise.reject(error)));
    if (response === undefined) break;
    const page = decodePage(response, mostAlerts - alerts.length);`,
  },
  {
    name: 'lose a requeue',
    find: "if (nextReconcileMs !== undefined) this.add(key, 'resync', nextReconcileMs);",
    replace: "if (nextReconcileMs !== undefined && nextReconcileMs >= 5000) this.add(key, 'resync', nextReconcileMs);",
  },
  {
    name: 'ignore the uid',
    story: 'a policy is made anew while it is listed',
    find: 'if (fresh?.metadata.uid !== uid) return;',
    replace: `if (!fresh) return;
    void uid;`,
  },
  {
    name: 'reuse a stale token',
    story: 'tokens that end before their time',
    find: `current.droppedAtMs = nowMs;
    current.tokens.drop();`,
    replace: 'current.droppedAtMs = nowMs;',
  },
  {
    name: 'write an unchanged status',
    find: 'if (isSameJson(status, policy.status)) return;',
    replace: 'if (isSameJson(status, undefined)) return;',
  },
  {
    name: 'forget the ledger on delete',
    story: 'a policy goes with what it dismissed',
    find: 'return ledger.length === 0 && policies.every(({ isSuspended }) => isSuspended);',
    replace: 'return policies.every(({ isSuspended }) => isSuspended);',
  },
  {
    name: 'fill the rate limiter again at every edit',
    story: 'edits without end',
    find: 'const rateLimiter = known ?? new RateLimiter({ ...limits, clock, initialTokens: burstAtStart(limits.burst) });',
    replace: 'const rateLimiter = new RateLimiter({ ...limits, clock, initialTokens: burstAtStart(limits.burst) });',
  },
  {
    name: 'ask again at once whatever failed',
    story: 'scopes that always fail',
    find: `export function backoffDelayMs(failures: number): number {
      return doublingMs(failures, firstBackoffMs, longestBackoffMs);
    }`,
    replace: `export function backoffDelayMs(failures: number): number {
      return failures > 0 ? firstBackoffMs / 2 : longestBackoffMs;
    }`,
  },
  {
    name: 'bring back the series of what was deleted',
    story: 'a connection is deleted while an activation is under way',
    find: `...observer,
    actionEnded: (...facts) => isConnection(facts[0]) && observer.actionEnded(...facts)`,
    replace: `...observer,
    actionEnded: (...facts) => observer.actionEnded(...facts)`,
    behind: [endsSlowly],
  },
  {
    name: 'take an older object over a newer one',
    story: 'a watch that delivers late',
    find: 'if (cached !== undefined && isOvertaken(key, cached, stored)) return;',
    replace: 'void isOvertaken;',
  },
  {
    name: 'keep what a list no longer holds',
    story: 'a policy goes while watches expire',
    find: 'for (const [key, object] of objects) if (listed?.has(key) === false) drop(key, object);',
    replace: '',
  },
  {
    name: 'keep what became stale within a pause',
    story: 'a pause of many intervals',
    find: 'freshMs < 0 ? pauseMs : Math.min(pauseMs, freshMs + 1)',
    replace: 'pauseMs',
  },
];
