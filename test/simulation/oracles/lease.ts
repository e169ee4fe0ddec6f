// Only the process that holds the Lease sends a PATCH or writes anything else, as the API server recorded it.
import type { Oracle } from './oracle.ts';

interface Holding {
  readonly process: string;
  readonly identity: string;
  readonly atMs: number;
}

const leaseMs = 35_000;
/** A PATCH may be in progress for so long, and has to end while the lease still lasts. */
const patchMs = 15_000;

export const leaseOracle: Oracle = {
  name: 'only the holder of the lease writes',
  watch(world, report) {
    let holding: Holding | undefined;
    world.api.onWrite.push((request, { resource }, { spec = {} }) => {
      if (resource.plural !== 'leases') {
        if (!world.isElecting(request.process) || holding === undefined) return;
        const isHolder = holding.process === request.process && holding.identity !== '';
        const lateMs = request.sentAtMs - holding.atMs - (isHolder ? leaseMs : 0);
        if (lateMs > 0) report(`${request.process} wrote ${request.path} ${Math.round(lateMs)} ms too late`);
        return;
      }
      const identity = typeof spec['holderIdentity'] === 'string' ? spec['holderIdentity'] : '';
      const isTaken = holding !== undefined && holding.identity !== identity && identity !== '';
      if (isTaken && holding && holding.identity !== '' && request.atMs < holding.atMs + leaseMs) {
        report(`${request.process} took the lease while ${holding.process} held it`);
      }
      holding = { process: request.process, identity, atMs: request.atMs };
    });
    world.onCall(({ kind, process, sentAtMs, caller }) => {
      if (kind !== 'patch' || caller === undefined || !world.isElecting(process)) return;
      if (holding === undefined || holding.identity === '' || holding.process !== process) {
        // Sent before another process took the Lease, and delayed: that process waited long enough for it.
        if (holding && sentAtMs <= holding.atMs) return;
        report(`${process} sent a PATCH while ${holding?.identity || 'no process'} held the lease`);
      } else if (sentAtMs > holding.atMs + leaseMs - patchMs) {
        report(`${process} sent a PATCH ${Math.round(sentAtMs - holding.atMs)} ms after it renewed the lease`);
      }
    });
  },
};
