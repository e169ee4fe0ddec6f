// What happens to the one scope that the test watches. Each takes its own stretch of virtual time, and ends with that scope in sync.
import { addScope, createPolicy, deletePolicy, editPolicy, flagsOf, namespace } from '../fixture.ts';
import { serviceOrigin, type World } from '../world.ts';
import { ownPolicy, ownScope, ownSpec } from './elsewhere.ts';

export interface Happening {
  readonly name: string;
  readonly run: (world: World) => Promise<void>;
}

const intervalMs = 300_000;
const editMs = 10_000;

/** Reconciles everything once; an edit takes up what was left for later. */
export const start: Happening = {
  name: 'the start of the operator',
  run: async (world) => {
    await world.startReplica();
    await passes(world, intervalMs);
    await edited(world);
  },
};

export const happenings: readonly Happening[] = [
  { name: 'a periodic reconcile', run: async () => undefined },
  {
    name: 'a correction',
    run: async (world) => world.service.turn(ownScope, 'A', false, 'User'),
  },
  {
    name: 'an edit',
    run: edited,
  },
  {
    name: 'a dismissal and its end',
    run: async (world) => {
      const alerts = [
        { name: 'B', state: 'Inactive', dismissal: { reason: 'accepted', until: '2026-01-20T00:00:00Z' } },
      ];
      editPolicy(world, ownPolicy, { ...ownSpec, alerts });
      await passes(world, editMs);
      editPolicy(world, ownPolicy, ownSpec);
    },
  },
  {
    name: 'a new policy on a new scope, and its deletion',
    run: async (world) => {
      addScope(world, 'subscriptions/new', { A: false });
      createPolicy(world, 'new', { scope: 'subscriptions/new', alerts: [{ name: 'A', state: 'Active' }] });
      await passes(world, editMs);
      deletePolicy(world, 'new');
    },
  },
  {
    name: 'a suspension',
    run: async (world) => {
      editPolicy(world, ownPolicy, { ...ownSpec, suspend: true });
      await passes(world, editMs);
      editPolicy(world, ownPolicy, ownSpec);
    },
  },
  {
    name: 'a status that another writer changed',
    run: async ({ api }) => {
      const { status } = api.store.get('rolealertpolicies', `${namespace}/${ownPolicy}`) ?? {};
      const patch = { status: { ...status, summary: { declared: 9, inSync: 9, incidents: 9, unmanaged: 9 } } };
      api.writes.mergePatch(api.resource('rolealertpolicies'), namespace, ownPolicy, patch, 'status');
    },
  },
  ...(['401', '404', '429', '500', 'reset'] as const).map((name) => ({
    name: `lists that fail (${name})`,
    run: async (world: World) => {
      world.lasting.all.push({ origin: serviceOrigin, scope: ownScope, name, fromMs: 0 });
      await passes(world, 2 * intervalMs);
      world.lasting.all.length = 0;
      await edited(world);
    },
  })),
];

/** Lets it happen, and the next periodic reconcile after it. */
export async function happen(world: World, { run }: Happening): Promise<void> {
  await run(world);
  await passes(world, 2 * intervalMs);
}

/** The flags of the watched scope, so that a comparison of two worlds compares the same. */
export function ownFlags(world: World): string[] {
  return flagsOf(world).filter((flag) => flag.startsWith(ownScope));
}

/** The user edits the spec, and undoes it. */
async function edited(world: World): Promise<void> {
  editPolicy(world, ownPolicy, { ...ownSpec, alerts: [{ name: 'C', state: 'Active' }] });
  await passes(world, editMs);
  editPolicy(world, ownPolicy, ownSpec);
}

function passes(world: World, ms: number): Promise<void> {
  return world.time.runUntil(world.time.nowMs + ms);
}
