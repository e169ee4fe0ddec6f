// Lists the scope of a reconcile.
import type { AlertList } from '../../alerts/types.ts';
import { wallOffsetMs } from '../../lib/clock.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import type { AlertClient, CallOptions } from '../alert-client/alert-client.ts';
import { outdated } from '../controller-error.ts';
import type { ReconcileContext } from './context.ts';
import { type Gathered, gather, mayList } from './gather.ts';

/** The gathered objects, with the connection that exists. */
export type Known = Gathered & { readonly connection: AnyConnection };

/** A reconcile with a client of its connection. */
export interface Connected {
  readonly context: ReconcileContext;
  readonly gathered: Known;
  readonly client: AlertClient;
}

/** A complete list, and when it began. */
export interface TimedList {
  readonly list: AlertList;
  /** Monotonic milliseconds. */
  readonly begunMs: number;
  /** `wallOffsetMs` at that time. */
  readonly offsetMs: number;
}

export function callOptions({ urgency, signal, waitSignal }: ReconcileContext): CallOptions {
  return { priority: urgency === 'edit' ? 'high' : 'low', signal, waitSignal };
}

/** A list waits for the rate limiter and other things; it is sent only while a policy may list the scope. */
export async function listScope({ context, gathered, client }: Connected, call: CallOptions): Promise<TimedList> {
  const { deps, runtime, ref } = context;
  const begun = { begunMs: deps.clock.monotonic(), offsetMs: wallOffsetMs(deps.clock) };
  const beforeSend = () => {
    if (!mayList(gather(deps, runtime, ref))) throw outdated('the scope may not be listed any more');
  };
  return { list: await client.listAlerts(listedScope(gathered), { ...call, beforeSend }), ...begun };
}

/** In the spelling of a policy; the service compares scopes without regard to case. */
export function listedScope({ policies, ref }: Known): string {
  return policies[0]?.policy.spec.scope ?? ref.scope;
}
