// Bugs about the steps of a reconcile (list, verify, record, schedule), its rate limiter and its metrics.
import type { DeliberateBug } from '../bugs.ts';

export const reconcileBugs: readonly DeliberateBug[] = [
  {
    name: 'predict from the pages of the first list',
    file: 'src/controller/connection-runtime.ts',
    find: '    this.statusWriter.refreshSoon();',
    replace: '',
    story: 'a scope that grows by a page',
  },
  {
    name: 'call every rate limit sufficient',
    file: 'src/plan/capacity.ts',
    find: '  return needed <= allowed',
    replace: '  return needed > 0 || needed <= allowed',
    story: 'a rate limit that is too small',
  },
  {
    name: 'report a rate limit at every write',
    file: 'src/plan/connection-capacity.ts',
    find: "conditionOf(before, 'Capacity')?.status === 'False'",
    replace: "conditionOf(before, 'Capacity')?.status === 'Never'",
    story: 'a rate limit that is too small',
  },
  {
    name: 'let the predicted requests only rise',
    file: 'src/plan/connection-capacity.ts',
    find: '  if (isFirstRound && predicted < before && loads.length > 0)',
    replace: '  if ((isFirstRound || true) && predicted < before && loads.length > 0)',
  },
  {
    name: 'estimate a first round with a full burst',
    file: 'src/plan/capacity.ts',
    find: ' + level - burstAtStart(burst);',
    replace: ' + level - burst;',
  },
  {
    name: 'keep the demand of a scope that was edited',
    file: 'src/controller/controller.ts',
    find: 'this.#registry.get(connection)?.demand.note(scope),',
    replace: '(this.#registry.get(connection), void scope),',
  },
  {
    name: 'drop the verification',
    file: 'src/controller/attempt.ts',
    find: '  return valueOrError(() => client.listAlerts(listedScope(gathered), call));',
    replace: `  return valueOrError(async () => {
    const list = await client.listAlerts(listedScope(gathered), call);
    const { sent } = context.runtime.state(context.ref.scope);
    const alerts = list.alerts.map((alert) => ({ ...alert, isActive: sent.get(alert.name.toLowerCase())?.isActive ?? alert.isActive }));
    return { ...list, alerts };
  });`,
  },
  {
    name: 'check the lease long before the send',
    file: 'src/controller/apply.ts',
    find: '    reservation = await deps.client.reserve(requestsOf(input), call);',
    replace: `    deps.checkMayWrite();
    deps = { ...deps, checkMayWrite: () => undefined };
    reservation = await deps.client.reserve(requestsOf(input), call);`,
    behind: [
      {
        file: 'src/alert-client/http-call.ts',
        find: `checkDeadline();
        request.beforeSend?.();`,
        replace: 'request.beforeSend?.();',
      },
    ],
  },
  {
    name: 'forget the Retry-After',
    file: 'src/alert-client/client.ts',
    find: `if (isAlertsError(interpretation, 'service-busy'))
        rateLimiter.throttleUntil(clock.now() + (interpretation.retryAfterMs ?? 0));`,
    replace: '',
  },
  {
    name: 'plan from a partial list',
    story: 'a list whose second page fails',
    file: 'src/alert-client/pages.ts',
    find: 'const page = decodePage(await readPage(target), mostAlerts - alerts.length, onPage);',
    replace: `const response = await readPage(target).catch((error) => (alerts.length > 0 ? undefined : Promise.reject(error)));
    if (response === undefined) break;
    const page = decodePage(response, mostAlerts - alerts.length, onPage);`,
  },
  {
    name: 'lose a requeue',
    file: 'src/controller/work-queue.ts',
    find: "if (nextReconcileMs !== undefined) this.add(key, 'resync', nextReconcileMs);",
    replace: "if (nextReconcileMs !== undefined && nextReconcileMs >= 5000) this.add(key, 'resync', nextReconcileMs);",
  },
  {
    name: 'ignore the uid',
    story: 'a policy is made anew while it is listed',
    file: 'src/controller/policy-status-writer.ts',
    find: 'if (fresh?.metadata.uid !== uid) return;',
    replace: `if (!fresh) return;
    void uid;`,
  },
  {
    name: 'reuse a stale token',
    story: 'tokens that end before their time',
    file: 'src/alert-client/tokens.ts',
    find: `    this.#kept = undefined;
    this.#replacedAtMs = nowMs;
    return true;`,
    replace: `    this.#replacedAtMs = nowMs;
    return true;`,
  },
  {
    name: 'write an unchanged status',
    file: 'src/controller/policy-status-writer.ts',
    find: 'if (isSameJson(status, policy.status) || deps.unkept.isUnkept(policy, status, input.nowMs)) return;',
    replace: 'if (isSameJson(status, undefined)) return;',
  },
  {
    name: 'forget the ledger on delete',
    story: 'a policy goes with what it dismissed',
    file: 'src/controller/gather.ts',
    find: 'const ledger = connection ? runtime.statusWriter.entriesOf(ref.scope) : [];',
    replace: `const isDeclared = policies.some(({ isOwn }) => isOwn);
  const ledger = connection && isDeclared ? runtime.statusWriter.entriesOf(ref.scope) : [];`,
  },
  {
    name: 'fill the rate limiter again at every edit',
    story: 'edits without end',
    file: 'src/manager/alert-client-factory.ts',
    find: 'const rateLimiter = known ?? newRateLimiter(deps.clock, requestsPerHour, burst);',
    replace: `const rateLimiter = newRateLimiter(deps.clock, requestsPerHour, burst);
      void known;`,
  },
  {
    name: 'ask again at once whatever failed',
    story: 'a scope that always fails',
    file: 'src/plan/schedule.ts',
    find: 'return Math.min(firstBackoffMs * 2 ** (failures - 1), longestBackoffMs);',
    replace: 'return firstBackoffMs / 2;',
  },
  {
    name: 'bring back the series of what was deleted',
    story: 'a connection is deleted while a PATCH is under way',
    file: 'src/controller/living-series.ts',
    find: '    actionEnded: (...facts) => isConnection(facts[0]) && observer.actionEnded(...facts),',
    replace: '    actionEnded: (...facts) => observer.actionEnded(...facts),',
  },
  {
    name: 'take an older object over a newer one',
    story: 'a watch that delivers late',
    file: 'src/kube/object-cache.ts',
    find: 'if (cached !== undefined && isOvertaken(key, cached, stored)) return;',
    replace: 'void isOvertaken;',
  },
  {
    name: 'keep what a list no longer holds',
    story: 'a policy goes while watches expire',
    file: 'src/kube/object-cache.ts',
    find: 'for (const [key, object] of objects) if (listed?.has(key) === false) drop(key, object);',
    replace: '',
  },
  {
    name: 'keep what became stale within a pause',
    story: 'a pause of many intervals',
    file: 'src/controller/reconcile.ts',
    find: 'freshMs < 0 ? pauseMs : Math.min(pauseMs, freshMs + 1)',
    replace: 'pauseMs',
  },
];
