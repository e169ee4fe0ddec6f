// Bugs between the plan and the socket: changes while a PATCH waits.
import type { DeliberateBug, Edit } from '../bugs.ts';

/** The runtime of a deleted connection lets its work end, in the place of aborting it as soon as a timer fires. */
export const endsSlowly: Edit = {
  find: `await runtime.stop(0);
    const { uid } = runtime;`,
  replace: `await runtime.stop(600_000);
    const { uid } = runtime;`,
};

export const sendingBugs: readonly DeliberateBug[] = [
  {
    name: 'send a deactivation on the plan of before',
    story: 'a withdrawal after the last reading',
    find: `const beforeSend = () => {
    attempt.session.checkRecorded(action, recorded);
    mayBeApplied = true;
  };`,
    replace: `const beforeSend = () => {
    mayBeApplied = true;
  };`,
  },
  {
    name: 'write to the API server after the Lease is lost',
    find: "const beforeSend = () => (head.method === 'GET' ? undefined : beforeWrite?.());",
    replace: 'const beforeSend = () => void beforeWrite;',
  },
  {
    name: 'count damping from the record of a deactivation',
    story: 'a deactivation waits between its entry and its send',
    find: 'recorded.sent.sentMs = deps.clock.monotonic();',
    replace: '',
  },
  {
    name: 'never list again before a deactivation',
    trait: 'isSlow',
    find: "    if (!this.isFresh) throw outdated('the list is too old');",
    replace: '',
    behind: [
      {
        find: `if (session.isFresh) return;
  const list = await listScope(attempt, call);`,
        replace: `if (session.isFresh || !session.isFresh) return;
  const list = await listScope(attempt, call);`,
      },
    ],
  },
  {
    name: 'keep the entry of a deactivation that was never sent',
    story: 'a withdrawal after the last reading',
    find: 'if (!mayBeApplied) recorded.cancel();',
    replace: '',
  },
  {
    name: 'confirm whatever the generation is',
    story: 'a withdrawal that no watch delivers',
    find: 'uid !== planned.metadata.uid || generation !== planned.metadata.generation',
    replace: 'uid !== planned.metadata.uid || generation === undefined',
  },
  {
    name: 'confirm what is being deleted',
    story: 'a policy whose deletion waits, and no watch delivers it',
    find: 'return deletionTimestamp === planned.metadata.deletionTimestamp;',
    replace: 'return deletionTimestamp !== null;',
    // A deletion raises the generation.
    behind: [
      {
        find: 'uid !== planned.metadata.uid || generation !== planned.metadata.generation',
        replace: 'uid !== planned.metadata.uid || generation === undefined',
      },
    ],
  },
  {
    name: 'confirm another object of the same name',
    story: 'a withdrawal that no watch delivers',
    find: 'uid !== planned.metadata.uid || generation !== planned.metadata.generation',
    replace: 'uid === undefined || generation === undefined',
  },
  {
    name: 'trust the caches alone before a deactivation',
    story: 'a withdrawal that no watch delivers',
    find: `await confirm(attempt, action);
    await freshen(attempt, action, held);`,
    replace: 'await freshen(attempt, action, held);',
  },
  {
    name: 'send while the lease may end before the PATCH',
    find: 'return leftMs > longestPatchMs;',
    replace: 'return leftMs > longestPatchMs * 0;',
  },
  {
    name: 'send what was widened between the plan and the send',
    story: 'a dismissal is widened between the plan and the send',
    find: 'uid !== planned.metadata.uid || generation !== planned.metadata.generation',
    replace: 'uid !== planned.metadata.uid || (generation ?? 0) < (planned.metadata.generation ?? 0)',
  },
  {
    name: 'send a list through a deleted connection',
    story: 'a connection is deleted while a list waits',
    find: '  if (!connection || isDeniedScope(ref.scope)) return false;',
    replace: `  void connection;
  if (isDeniedScope(ref.scope)) return false;`,
    behind: [endsSlowly],
  },
  {
    name: 'replace the status of a newer spec',
    story: 'a connection is deleted while an activation is under way',
    find: '    if (isSuperseded(input, policy)) return;',
    replace: '    void isSuperseded;',
    behind: [endsSlowly],
  },
  {
    name: 'send all deactivations of a plan in one reconcile',
    story: 'many dismissals at a low rate limit',
    find: 'if (activations.length === 0) return actions.slice(0, 1);',
    replace: 'if (activations.length === 0) return [...actions];',
  },
  {
    name: 'deactivate by name',
    story: 'a quarrel that takes each deactivation of the hour',
    find: 'return rows.toSorted((a, b) => lastOf(a) - lastOf(b) || byText(a.key, b.key));',
    replace: `void lastOf;
  return rows.toSorted((a, b) => byText(a.key, b.key));`,
  },
];
