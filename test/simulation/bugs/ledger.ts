// Bugs about the ledger: deactivated alerts stay recorded, and are activated again before their connection goes.
import type { DeliberateBug } from '../bugs.ts';

export const ledgerBugs: readonly DeliberateBug[] = [
  {
    name: 'keep the old since when a deactivation is entered again',
    story: 'an alert that is deactivated again and again',
    find: `const before = this.#held.get(keyOf(entry));
    const record = { ...entry, since: formatTimestamp(this.#clock.now()) };`,
    replace: `const before = this.#held.get(keyOf(entry));
    const record = { ...entry, since: formatTimestamp(this.#clock.now() - (before ? 3_600_000 : 0)) };`,
  },
  {
    name: 'drop an entry that stood before when a later try is taken back',
    story: 'a second try is taken back after a lost answer',
    find: `      if (before) this.#set(key, before);
      else this.#delete(key, record.scope);`,
    replace: `      void before;
      this.#delete(key, record.scope);`,
  },
  {
    name: 'let a refusal settle an entry',
    story: 'a refusal after a lost answer',
    find: `  if (input.unproven.has(row.key)) return false;
  const write = input.sent.get(row.key);
  return write === undefined || write.isActive || write.failure !== undefined;`,
    replace: `  const write = input.sent.get(row.key);
  if (Object.values(write?.failure ?? {}).includes('Refused')) return true;
  if (input.unproven.has(row.key)) return false;
  return write === undefined || write.isActive || write.failure !== undefined;`,
  },
  {
    name: 'settle by a list that was begun too early',
    story: 'the clock steps after a lost answer',
    find: '  if (input.unproven.has(row.key)) return false;',
    replace: '',
  },
  {
    name: 'keep a write that a wrong clock dated',
    story: 'the clock goes back after a deactivation that no list shows',
    find: '  if (write.sentAtMs - nowMs > verifyDeadlineMs) return true;\n',
    replace: '',
  },
  {
    name: 'drop an entry at the first list without its alert',
    story: 'a scope is away for hours',
    find: 'return attempts >= attemptsNeeded && nowMs - Date.parse(since) >= dayMs;',
    replace: 'return attempts >= attemptsNeeded - 2 && nowMs - Date.parse(since) >= dayMs - dayMs;',
  },
  {
    name: 'count the attempts without a day',
    story: 'a scope is away for hours',
    find: 'return attempts >= attemptsNeeded && nowMs - Date.parse(since) >= dayMs;',
    replace: 'return attempts >= attemptsNeeded && nowMs - Date.parse(since) >= dayMs / 24;',
  },
  {
    name: 'keep entries of what is gone for good',
    story: 'a scope goes for good',
    find: '    if (isGoneForGood(missing, this.#clock.now())) return undefined;',
    replace: '    void isGoneForGood;',
  },
  {
    name: 'begin a new day with each restart',
    story: 'a scope goes for good',
    find: `if (before && nowMs - before.lastMs < spacingMs) return before;
  const isKnown = since !== undefined && Date.parse(since) <= clock.now();`,
    replace: `if (before && nowMs - before.lastMs < spacingMs) return before;
  const isKnown = before !== undefined && since !== undefined && Date.parse(since) <= clock.now();`,
  },
  {
    name: 'believe a 404 for the status of a connection',
    story: 'a 404 for the status of a connection',
    find: '    const isGone = connection === undefined || connection.metadata.uid !== this.#uid;',
    replace: "    const isGone = connection === undefined || isClusterError(error, 'kube-not-found');",
  },
  {
    name: 'believe a 404 after a conflict',
    story: 'a 404 after a conflict',
    find: '    if (!fresh && !isGone(deps, policy)) throw notServed(key);',
    replace: `    void notServed;
    if (!fresh) return;`,
  },
  {
    name: 'let a connection that is being deleted grant',
    story: 'a connection that is deleted is held by a finalizer',
    find: "const isEnding = deletionOf(connection, namespace) !== 'None';",
    replace: 'const isEnding = deletionOf(connection, namespace).length === 0;',
  },
  {
    name: 'let a connection go with its dismissals in force',
    story: 'a connection is deleted during an outage',
    find: `if (hasFinalizer(connection) === isHeld || (isHeld && isEnding)) return connection;
  const stored = await cluster.replaceFinalizers(connection, finalizersOf(connection, isHeld), signal);`,
    replace: `if (hasFinalizer(connection) === (isHeld && !isEnding)) return connection;
  const stored = await cluster.replaceFinalizers(connection, finalizersOf(connection, isHeld && !isEnding), signal);`,
  },
  {
    name: 'add no finalizer',
    story: 'a connection is deleted and created again while no operator runs',
    find: '        if (this.ledger.size > 0) connection = await holdConnection(cluster, connection, true, signal);',
    replace: '',
    behind: [
      {
        find: 'hasFinalizer(connection) && entries.some((entry) => entry.scope === scope && sameName(entry.alert, alert))',
        replace: 'entries.some((entry) => entry.scope === scope && sameName(entry.alert, alert))',
      },
    ],
  },
  {
    name: 'use no credential whose Secret went with its namespace',
    story: 'a namespace goes with what it dismissed',
    find: 'if (!last || !isGone(error) || !isKept()) throw error;',
    replace: 'if (!last || !isGone(error) || !isKept() || last) throw error;',
  },
  {
    name: 'abandon what the deletion of a namespace could wait for',
    story: 'a namespace goes with what it dismissed',
    find: 'const longestWaitMs = 45_000;',
    replace: 'const longestWaitMs = 5000;',
  },
  {
    name: 'say a generation that was not tried',
    story: 'a connection is edited while the service is slow',
    find: 'const generation = isEnding ? connection.metadata.generation : (triedGeneration ?? previous.observedGeneration);',
    replace: 'const { generation } = isEnding ? connection.metadata : connection.metadata;',
  },
  {
    name: 'leave the name of a policy that is gone in an entry',
    story: 'a policy goes whose dismissal another one declares too',
    find: 'showing(record, declared.get(record))',
    replace: 'showing(record, { ...declared.get(record), policy: record.policy })',
  },
  {
    name: 'show the bound that a dismissal had when its alert was deactivated',
    story: 'a dismissal changes its bound, its end and its reason',
    find: 'next === undefined || isSameJson(next, record) ? record : next',
    replace: 'next === undefined || next.policy === record.policy ? record : next',
  },
  {
    name: 'announce the end of a dismissal with the next interval',
    story: 'a dismissal ends in a week',
    find: 'return [endMs, endMs - endingNoticeMs, needsEnd(dismissal, grant) ? endMs - grant.maxDismissalMs : undefined];',
    replace:
      'return [endMs, endMs - 0 * endingNoticeMs, needsEnd(dismissal, grant) ? endMs - grant.maxDismissalMs : undefined];',
  },
  {
    name: 'announce the end of a dismissal with every change of the status',
    story: 'a dismissal ends in a week',
    find: 'if (end === undefined || end === before?.dismissalEnding) return undefined;',
    replace: 'if (end === undefined || before === undefined) return undefined;',
  },
  {
    name: 'sort the register by scope and alert alone',
    story: 'a dismissal changes its bound, its end and its reason',
    find: '`${entry.until ?? noEnd}\\n${entry.scope}\\n${entry.alert}`',
    replace: '`${noEnd}\\n${entry.scope}\\n${entry.alert}`',
  },
  {
    name: 'forget the deactivations of the hour at a start',
    story: 'more deactivations than an hour allows',
    find: `this.#deactivations.load(status?.recentDeactivations ?? []);
    this.ledger.load(status?.dismissals ?? []);`,
    replace: `this.#deactivations.load([]);
    this.ledger.load(status?.dismissals ?? []);`,
  },
  {
    name: 'let a policy keep what another one of its name dismissed',
    story: 'a policy comes back with the name of its dismissal',
    find: `const dismissals = dismissalsOf(claims);
  const named = dismissals.find(({ input }) => input.key === policy);`,
    replace: `const dismissals = dismissalsOf(claims);
  const named = claims.find(({ input }) => input.key === policy);`,
  },
];
