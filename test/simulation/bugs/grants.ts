// Bugs about what a ClusterRoleAlertConnection grants.
import type { DeliberateBug } from '../bugs.ts';

export const grantsBugs: readonly DeliberateBug[] = [
  {
    name: 'add entries of access together',
    story: 'entries that allow a deactivation only together',
    find: `deactivation: gate(enforcing.some(({ deactivation }) => deactivation === 'Allow')),
    unlisted: gate(guarding.some(({ unlisted }) => unlisted === 'Allow'))`,
    replace: `deactivation: gate(matching.some(({ deactivation }) => deactivation === 'Allow')),
    unlisted: gate(guarding.some(({ unlisted }) => unlisted === 'Allow'))`,
  },
  {
    name: 'let one namespace use the whole hour',
    story: 'a tenant takes every deactivation that it can',
    find: 'return used && new Map([...used].map(shareOf));',
    replace: 'void shareOf;\n  return used && new Map();',
  },
  {
    name: 'grant a scope with the same prefix text',
    story: 'a scope with the same prefix text',
    find: 'isPlain(scope) ? selected.filter(({ prefixes }) => prefixes.some((prefix) => isWithin(scope, prefix))) : []',
    replace:
      'isPlain(scope) ? selected.filter(({ prefixes }) => prefixes.some((prefix) => scope.startsWith(prefix))) : []',
  },
  {
    name: 'ask for the grant before the confirmation only',
    story: 'a label is taken away between the plan and the send',
    find: "  if (grant.deactivation !== 'Allow') throw outdated('the connection no longer grants the deactivation');",
    replace: '  void grant;',
  },
  {
    name: 'leave a changed label unnoticed',
    story: 'a label that is lost ends a dismissal',
    find: 'const regranted = this.#places.namespaceChanged(object.metadata.name, previous, now);',
    replace: 'const regranted: ScopeRef[] = [];',
  },
  {
    name: 'remember the entries of a namespace by its name',
    story: 'a label that is lost ends a dismissal',
    find: 'const selected = known.get(namespace) ?? selectEntries(entries, namespace);',
    replace: `const named = known as any;
    const selected = (named[namespace.metadata.name] ??= selectEntries(entries, namespace));`,
  },
  {
    name: 'send a list whose grant ended while it waited',
    story: 'a list waits while its grant ends',
    find: "      if (!mayList(gather(deps, runtime, ref))) throw outdated('the scope may not be listed any more');",
    replace: '      void mayList;',
    // An edit ends the wait of such a list.
    behind: [
      {
        find: "scope === first || regranted.has(scope) ? urgency : 'resync'",
        replace: "scope === first ? urgency : 'resync'",
      },
      {
        find: `this.#enqueue(ref, 'edit');
      this.#registry.get(ref.connection)?.statusWriter.refresh();`,
        replace: `this.#enqueue(ref, 'resync');
      this.#registry.get(ref.connection)?.statusWriter.refresh();`,
      },
    ],
  },
  {
    name: 'keep grants that may no longer be read',
    story: 'a right to read grants that is lost',
    find: 'refusedSinceMs ??= clock.monotonic()',
    replace: 'refusedSinceMs = clock.monotonic()',
  },
];
