// What an operator wrote for one policy, for the clients that repeat it.
import type { FleetPlace } from '../fleet-place.ts';
import type { Setup } from '../setup.ts';

export interface Written {
  readonly status: object;
  readonly events: readonly object[];
}

interface EventList {
  readonly items?: readonly { readonly regarding: { readonly name: string } }[];
}

/** Reads the status of the fleet's first policy, and the events of the policy that the first event regards. */
export async function readWritten({ requests }: Setup, { namespace, policies }: FleetPlace): Promise<Written> {
  const resources = `/apis/rolealerts.dev/v1alpha1/namespaces/${namespace}/rolealertpolicies`;
  const { body } = await requests.send('GET', `${resources}/${policies[0]?.name}`);
  const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events?limit=500`;
  const { items = [] } = (await requests.send('GET', path)).body as EventList;
  const events = items.filter(({ regarding }) => regarding.name === items[0]?.regarding.name);
  return { status: body?.status as object, events };
}
