// Finds out which responses clients have received, while clients may have left much unread: a connection whose client has read everything and is
// idle would otherwise count for seconds, and others of its caller would get 503.
import type { Clock } from '../../lib/clock.ts';
import type { ReadDelivered } from '../../lib/send-queues.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/** Time between two lookups. Each reads a line for every connection of the machine, or of its container. */
const lookEveryMs = 250;

export interface DeliveredResponsesDeps {
  readonly unread: Pick<UnreadBytes, 'isCrowded' | 'releaseDelivered'>;
  readonly readDelivered: ReadDelivered;
  readonly clock: Pick<Clock, 'monotonic' | 'setTimer'>;
}

/** Call the returned function whenever the kernel took a response. */
export function releaseDelivered({ unread, readDelivered, clock }: DeliveredResponsesDeps): () => void {
  let isDue = false;
  const look = async () => {
    const startedMs = clock.monotonic();
    const delivered = await readDelivered();
    isDue = false;
    if (!delivered) return;
    unread.releaseDelivered(delivered, startedMs);
    lookSoon();
  };
  const lookSoon = () => {
    if (isDue || !unread.isCrowded) return;
    isDue = true;
    clock.setTimer(lookEveryMs, () => void look());
  };
  return lookSoon;
}
