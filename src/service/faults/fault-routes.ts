// The routes that each fault applies to.
import { methodsOf } from '../http/resource-path.ts';
import type { FaultName, FaultRoute } from './fault.ts';

export const faultRoutes = Object.keys(methodsOf) as readonly FaultRoute[];

const lists = ['list-alerts'] as const;
const updates = ['update-alert'] as const;

export const routesOfFault: Readonly<Record<FaultName, readonly FaultRoute[]>> = {
  latency: faultRoutes,
  status: faultRoutes,
  cut: faultRoutes,
  slow: faultRoutes,
  huge: faultRoutes,
  malformed: faultRoutes,
  pageLoop: lists,
  foreignNextLink: lists,
  ignoreUpdate: updates,
  loseRequest: faultRoutes,
  loseReply: faultRoutes,
  reRaise: updates,
  expireToken: ['list-alerts', 'update-alert'],
};
