// Bugs about what a ClusterRoleAlertConnection grants.
import type { DeliberateBug } from '../bugs.ts';

export const grantsBugs: readonly DeliberateBug[] = [
  {
    name: 'add entries of access together',
    story: 'entries that allow a deactivation only together',
    file: 'src/policy/access.ts',
    find: "deactivation: gate(enforcing.some(({ deactivation }) => deactivation === 'Allow')),",
    replace: "deactivation: gate(matching.some(({ deactivation }) => deactivation === 'Allow')),",
  },
  {
    name: 'grant a scope with the same prefix text',
    story: 'a scope with the same prefix text',
    file: 'src/policy/access.ts',
    find: 'return scope === prefix || scope.startsWith(`${prefix}/`);',
    replace: 'return scope.startsWith(prefix);',
  },
  {
    name: 'ask for the grant before the confirmation only',
    story: 'a label is taken away between the plan and the send',
    file: 'src/controller/confirm.ts',
    find: "  if (grant.deactivation !== 'Allow') throw outdated('the connection no longer grants the deactivation');",
    replace: '  void grant;',
  },
  {
    name: 'leave a changed label unnoticed',
    story: 'a label that is lost ends a dismissal',
    file: 'src/controller/controller.ts',
    find: 'for (const ref of this.#places.namespaceChanged(object.metadata.name, previous, now)) {',
    replace: 'for (const ref of [] as ScopeRef[]) {',
  },
  {
    name: 'remember the entries of a namespace by its name',
    story: 'a label that is lost ends a dismissal',
    file: 'src/controller/selected-entries.ts',
    find: 'const selected = known.get(namespace) ?? selectEntries(entries, namespace);',
    replace: `const named = known as unknown as Record<string, readonly SelectedEntry[]>;
    const selected = (named[namespace.metadata.name] ??= selectEntries(entries, namespace));`,
  },
  {
    name: 'send a list whose grant ended while it waited',
    story: 'a list waits while its grant ends',
    file: 'src/controller/apply-batch.ts',
    find: "      if (!mayList(gather(deps, runtime, ref))) throw outdated('the scope may not be listed any more');",
    replace: '      void mayList;',
    // An edit ends the wait of such a list.
    behind: [
      {
        file: 'src/controller/controller.ts',
        find: "scope === first || regranted.has(scope) ? urgency : 'resync'",
        replace: "scope === first ? urgency : 'resync'",
      },
      {
        file: 'src/controller/controller.ts',
        find: "      this.#enqueue(ref, 'edit');\n      this.#neighbours.policyChanged(ref);",
        replace: "      this.#enqueue(ref, 'resync');\n      this.#neighbours.policyChanged(ref);",
      },
    ],
  },
  {
    name: 'keep grants that may no longer be read',
    story: 'a right to read grants that is lost',
    file: 'src/manager/cluster.ts',
    find: 'const forgetAfterRefusalMs = 60_000;',
    replace: 'const forgetAfterRefusalMs = Infinity;',
  },
];
