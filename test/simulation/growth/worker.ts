// A process that counts what the operator does at each happening, in a world of a given kind and size. It loads the operator only once
// the counters run, and needs V8 without its optimizing compilers, whose code counts less: see `measure`.
import type { Kind } from './elsewhere.ts';
import { type Executed, ExecutedBlocks } from './executed-blocks.ts';
import { WalkedCollections } from './walked-collections.ts';

/** What one happening made the operator do. */
export interface Work {
  readonly name: string;
  readonly executed: Executed;
  readonly walked: ReadonlyMap<string, number>;
  /** Requests that ended, watches included. */
  readonly requests: number;
  /** Writes of the connection's status, which contains the whole ledger. */
  readonly connectionWrites: number;
  /** The flags of the alerts on the watched scope. */
  readonly flags: readonly string[];
}

const [kind, size] = process.argv.slice(2) as [Kind, string];
const blocks = new ExecutedBlocks();
const collections = new WalkedCollections();
blocks.start();
const { readResources } = await import('../kube/resources.ts');
const { createWorld } = await import('./elsewhere.ts');
const { start, happenings, happen, ownFlags } = await import('./happenings.ts');

collections.start();
const world = createWorld(await readResources(), kind, Number(size));
let connectionWrites = 0;
world.api.onWrite.push((_request, { resource }) => {
  if (resource.plural === 'rolealertconnections') connectionWrites++;
});
const works: Work[] = [];
for (const happening of [start, ...happenings]) {
  const before = world.requests;
  connectionWrites = 0;
  await happen(world, happening);
  const facts = { requests: world.requests - before, connectionWrites, flags: ownFlags(world) };
  works.push({ name: happening.name, ...facts, walked: collections.take(), executed: blocks.take() });
}
process.send?.(works);
