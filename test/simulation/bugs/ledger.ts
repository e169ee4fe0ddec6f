// Bugs about the ledger: deactivated alerts stay recorded, and are activated again whatever happens to their connection.
import type { DeliberateBug } from '../bugs.ts';

export const ledgerBugs: readonly DeliberateBug[] = [
  {
    name: 'keep the old since when a deactivation is entered again',
    story: 'an alert that is deactivated again and again',
    file: 'src/controller/ledger.ts',
    find: '    return this.takeOver({ ...entry, since: formatTimestamp(this.#clock.now()) });',
    replace: `    const held = this.#held.get(keyOf(entry));
    const restore = this.takeOver({ ...entry, since: held?.record.since ?? formatTimestamp(this.#clock.now()) });
    if (held) this.#held.set(keyOf(entry), { ...held, record: { ...held.record, policy: entry.policy } });
    return restore;`,
  },
  {
    name: 'drop an entry that stood before when a later try is taken back',
    story: 'a second try is taken back after a lost answer',
    file: 'src/controller/ledger.ts',
    find: `      if (before) this.#set(key, before);
      else this.#delete(key, record.scope);`,
    replace: `      void before;
      this.#delete(key, record.scope);`,
  },
  {
    name: 'let a refusal settle an entry',
    story: 'a refusal after a lost answer',
    file: 'src/plan/ledger.ts',
    find: '  if (!isOld || input.unproven.has(row.key)) return false;',
    replace: `  if (input.sent.get(row.key)?.failure?.kind === 'Refused') return true;
  if (!isOld || input.unproven.has(row.key)) return false;`,
  },
  {
    name: 'settle by a list that was begun too early',
    story: 'the clock steps after a lost answer',
    file: 'src/plan/ledger.ts',
    find: '  if (!isOld || input.unproven.has(row.key)) return false;',
    replace: '  if (!isOld) return false;',
  },
  {
    name: 'keep an entry while another connection waits to deactivate its alert',
    story: 'another connection may not deactivate what is active again',
    file: 'src/plan/ledger.ts',
    find: '  if (!isOld || input.unproven.has(row.key)) return false;',
    replace: `  if (!isOld || input.unproven.has(row.key)) return false;
  if (row.owner?.want.state === 'Inactive' && !row.owner.input.isOwn) return false;`,
  },
  {
    name: 'keep a write that a wrong clock dated',
    story: 'the clock goes back after a deactivation that no list shows',
    file: 'src/plan/corrections.ts',
    find: '  if (write.sentAtMs - nowMs > verifyWindowMs) return true;\n',
    replace: '',
  },
  {
    name: 'lift for ten seconds only',
    story: 'a connection is deleted during an outage',
    file: 'src/controller/reactivation.ts',
    find: 'const longestReactivationMs = 7 * dayMs;',
    replace: `const longestReactivationMs = 10_000;
void dayMs;`,
  },
  {
    name: 'lift beside the work queue',
    story: 'a connection is deleted while a PATCH is under way',
    file: 'src/controller/controller.ts',
    find: '    await runtime.workQueue.stop(this.#shard.isSharded ? 0 : stopGraceMs);',
    replace: '    void runtime.workQueue.stop(this.#shard.isSharded ? 0 : stopGraceMs);',
    // An entry waits for two minutes anyway, which is longer than a PATCH takes.
    behind: [
      {
        file: 'src/plan/ledger.ts',
        find: '  if (!isOld || input.unproven.has(row.key)) return false;',
        replace: '  void isOld;',
      },
    ],
  },
  {
    name: 'give up the reactivation at the first failure',
    story: 'a connection is deleted during an outage',
    file: 'src/controller/reactivation.ts',
    find: `    this.#logFailed(rounds, known, delayMs);
    return delayMs;`,
    replace: `    this.#logFailed(rounds, known, delayMs);
    return undefined;`,
  },
  {
    name: 'let the reactivation forget what another connection declares',
    story: 'a connection is deleted beside another',
    file: 'src/controller/reactivation-round.ts',
    find: 'if (await deps.handOver(entry, policyKey)) handed.push(entry);',
    replace: `handed.push(entry);
  void deps;
  void kept.map(({ policyKey }) => policyKey);`,
  },
  {
    name: 'lift what another connection declares inactive',
    story: 'a connection is deleted beside another',
    file: 'src/controller/release-dismissals.ts',
    find: 'neighbours: (scope) => policiesThrough(deps, connections(), { scope }),',
    replace: 'neighbours: (scope) => policiesThrough(deps, connections().slice(0, 0), { scope }),',
  },
  {
    name: 'drop an entry at the first list without its alert',
    story: 'a scope is away for hours',
    file: 'src/controller/missing.ts',
    find: 'return attempts >= attemptsNeeded && nowMs - Date.parse(since) >= dayMs;',
    replace: 'return attempts >= attemptsNeeded - 2 && nowMs - Date.parse(since) >= dayMs - dayMs;',
  },
  {
    name: 'count the attempts without a day',
    story: 'a scope is away for hours',
    file: 'src/controller/missing.ts',
    find: 'return attempts >= attemptsNeeded && nowMs - Date.parse(since) >= dayMs;',
    replace: 'return attempts >= attemptsNeeded && nowMs - Date.parse(since) >= dayMs / 24;',
  },
  {
    name: 'keep entries of what is gone for good',
    story: 'a scope goes for good',
    file: 'src/controller/ledger.ts',
    find: '    if (isGoneForGood(missing, this.#clock.now())) return undefined;',
    replace: '    void isGoneForGood;',
  },
  {
    name: 'begin a new day with each restart',
    story: 'a scope goes for good',
    file: 'src/controller/missing.ts',
    find: '  const isKnown = since !== undefined && Date.parse(since) <= clock.now();',
    replace: '  const isKnown = before !== undefined && since !== undefined && Date.parse(since) <= clock.now();',
  },
  {
    name: 'believe a 404 for the status of a connection',
    story: 'a 404 for the status of a connection',
    file: 'src/controller/connection-status-writer.ts',
    find: '    const isGone = connection === undefined || connection.metadata.uid !== this.#uid;',
    replace: "    const isGone = connection === undefined || isClusterError(error, 'kube-not-found');",
  },
  {
    name: 'believe a 404 after a conflict',
    story: 'a 404 after a conflict',
    file: 'src/controller/policy-status-writer.ts',
    find: '    if (!fresh && !isGone(deps, policy)) throw notServed(key);',
    replace: `    void notServed;
    if (!fresh) return;`,
  },
  {
    name: 'let a connection that is being deleted grant',
    story: 'a connection that is deleted is held by a finalizer',
    file: 'src/policy/grant.ts',
    find: "const isOpen = metadata.deletionTimestamp === undefined && spec.deactivation === 'Allow';",
    replace: "const isOpen = spec.deactivation === 'Allow';",
  },
  {
    name: 'say a generation that was not tried',
    story: 'a connection is edited while the service is slow',
    file: 'src/plan/connection-status.ts',
    find: '  const generation = triedGeneration ?? previous.observedGeneration;',
    replace: `  void triedGeneration;
  const { generation } = connection.metadata;`,
  },
  {
    name: 'leave the name of a policy that is gone in an entry',
    story: 'a policy goes whose dismissal another one declares too',
    file: 'src/controller/ledger.ts',
    find: 'showing(record, declared.get(record))',
    replace: 'showing(record, { ...declared.get(record), policy: record.policy })',
  },
  {
    name: 'show the bound that a dismissal had when its alert was deactivated',
    story: 'a dismissal changes its bound, its end and its reason',
    file: 'src/controller/ledger.ts',
    find: 'isSameJson(next, record) ? record : next;',
    replace: 'next.policy === record.policy ? record : next;\n  void isSameJson;',
  },
  {
    name: 'show the reason of a policy of another connection',
    story: 'another connection declares what a policy dismissed that goes',
    file: 'src/plan/register.ts',
    find: '...(isOwn && {',
    replace: '...((isOwn || true) && {',
  },
  {
    name: 'announce the end of a dismissal with the next interval',
    story: 'a dismissal ends in a week',
    file: 'src/plan/next-change.ts',
    find: 'isOwn ? endMs - endingNoticeMs : undefined',
    replace: 'isOwn ? endMs - 0 * endingNoticeMs : undefined',
  },
  {
    name: 'announce the end of a dismissal with every change of the status',
    story: 'a dismissal ends in a week',
    file: 'src/plan/dismissal-ending.ts',
    find: 'if (end === undefined || end === before?.dismissalEnding) return [];',
    replace: 'if (end === undefined || before === undefined) return [];',
  },
  {
    name: 'sort the register by scope and alert alone',
    story: 'a dismissal changes its bound, its end and its reason',
    file: 'src/plan/register.ts',
    find: '`${entry.until ?? noEnd}\\n${entry.scope}',
    replace: '`${noEnd}\\n${entry.scope}',
  },
  {
    name: 'forget the deactivations of the hour at a start',
    story: 'more deactivations than an hour allows',
    file: 'src/controller/connection-status-writer.ts',
    find: 'this.#deactivations.load(status?.recentDeactivations ?? []);',
    replace: 'this.#deactivations.load([]);',
  },
  {
    name: 'forget the ledger of an earlier connection',
    story: 'a connection is deleted and created again while no operator runs',
    file: 'src/controller/inherited-dismissals.ts',
    find: 'return policy ? inheritedFrom(policy, endpoint) : [];',
    replace: 'void policy;\n    return [];',
  },
  {
    name: 'take dismissals over from another service',
    story: 'a connection is deleted and created again while no operator runs',
    file: 'src/plan/dismissal-marks.ts',
    find: 'if (status?.dismissalEndpoint !== endpoint) return [];',
    replace: 'if (!status?.dismissalEndpoint || !endpoint) return [];',
  },
  {
    name: 'send a deactivation that no status marks',
    story: 'a connection is deleted and created again while no operator runs',
    file: 'src/controller/apply-batch.ts',
    find: '    await mark(attempt, action, policy, runtime.statusWriter.ledger.find({ scope: ref.scope, alert })?.since);',
    replace: '    void mark;',
  },
  {
    name: 'let a policy keep what another one of its name dismissed',
    story: 'a policy comes back with the name of its dismissal',
    file: 'src/plan/ledger.ts',
    find: 'else if (!draft.taken.has(row.key) && mayActivate(input, row, row.key)) {',
    replace: `else if (
    !draft.taken.has(row.key) &&
    mayActivate(input, row, row.key) &&
    !input.policies.some(({ key }) => key === entry.policy)
  ) {`,
  },
  {
    name: 'find a plan outdated for ever whose mark is dropped',
    story: 'an older CRD drops the marks of dismissals',
    file: 'src/controller/mark-dismissal.ts',
    find: '      demandMark(stored, status, dismissal);',
    replace: '      void demandMark;',
  },
];
