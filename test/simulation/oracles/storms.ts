// Failures back off: no scope, and no object of the API server, is requested as fast as it can fail.
import { keyOfCaller } from '../alerts/callers.ts';
import type { Oracle } from './oracle.ts';

const windowMs = 600_000;
/** One every ten seconds: what fails lasts longer than that on average, edits and reconcile requests included. */
const mostRequests = 60;
/** One every five seconds: a 429 of the service says when to ask again, and the operator waits at least so long. */
const mostThrottled = 120;

export const stormOracle: Oracle = {
  name: 'what fails is asked ever less',
  watch(world, report) {
    const failures = new Map<string, number[]>();
    world.onExchange.push(({ request, outcome, endedAtMs }) => {
      const isFine = typeof outcome === 'number' && outcome < 300;
      if (isFine || outcome === 'killed' || outcome === 'not sent' || /leases/.test(request.path)) return;
      const caller = world.service.accounts.callerOf(request.headers, world.time.nowMs);
      const [path = ''] = request.path.split('?');
      // Connections whose tokens the service does not know are not one.
      const who = caller === undefined ? String(request.headers['authorization']) : keyOfCaller(caller);
      const isThrottled = outcome === 429 && caller !== undefined;
      const key = `${request.process} ${request.method} ${who} ${path}${isThrottled ? ' with 429' : ''}`;
      const recent = [...(failures.get(key) ?? []), endedAtMs].filter((ms) => ms > endedAtMs - windowMs);
      failures.set(key, recent);
      if (recent.length === (isThrottled ? mostThrottled : mostRequests) + 1)
        report(`${key} failed ${recent.length} times in ${windowMs / 60_000} minutes`);
    });
  },
};
