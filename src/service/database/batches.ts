// Collects items while a batch is on its way, and sends them together as the next one. Without `collect` an item that arrives alone is
// sent at once.
import { valueOf } from '../../lib/errors.ts';

/** The results are in the order of the items, and one may be a failure. A rejection fails every item of the batch. */
export type SendBatch<Item, Result> = (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: PromiseSettledResult<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/** `limit` is the maximum number of items of a batch. Each batch waits for `collect`, and takes what has arrived until then. */
export function createBatches<Item, Result>(
  send: SendBatch<Item, Result>,
  limit: number,
  collect?: () => Promise<unknown>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isSending = false;

  const sendNext = async () => {
    const batch = waiting.splice(0, limit);
    try {
      const results = await send(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as PromiseSettledResult<Result>);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const sendAll = async () => {
    isSending = true;
    while (waiting.length > 0) {
      if (collect) await collect();
      await sendNext();
    }
    isSending = false;
  };

  return async (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<PromiseSettledResult<Result>>();
    waiting.push({ item, resolve, reject });
    if (!isSending) void sendAll();
    return valueOf(await promise);
  };
}
