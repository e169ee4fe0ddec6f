// A process of a simulated world that does what a test demands, right or wrong.
import { canaryToken } from '../support/checks/canaries.ts';
import { SimProcess } from './engine/sim-process.ts';
import { kubeOrigin } from './replica.ts';
import { serviceOrigin, type World } from './world.ts';

const scope = 'subscriptions/one';
const collection = `/${scope}/providers/Vendor.Authorization/roleManagementAlerts`;
const version = '?api-version=2022-08-01-preview';

export interface Rogue {
  send(origin: string, method: 'GET' | 'PATCH' | 'PUT', path: string, body?: object, token?: string): Promise<void>;
  list(token?: string): Promise<void>;
  turn(alert: string, isActive: boolean): Promise<void>;
}

export function rogueIn(world: World): Rogue {
  const dispatcher = world.network.openDispatcher(new SimProcess('rogue', world.time));
  const rogue: Rogue = {
    async send(origin, method, path, body, serviceToken = canaryToken) {
      const token = origin === kubeOrigin ? 'sim-token' : serviceToken;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      dispatcher.dispatch({ origin, method, path, headers, body: body ? JSON.stringify(body) : null }, {});
      await world.time.runUntil(world.time.nowMs + 100);
    },
    list: (token) => rogue.send(serviceOrigin, 'GET', `${collection}${version}`, undefined, token),
    turn: (alert, isActive) =>
      rogue.send(serviceOrigin, 'PATCH', `${collection}/${alert}${version}`, { properties: { isActive } }),
  };
  return rogue;
}
