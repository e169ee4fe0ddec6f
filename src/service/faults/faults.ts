// Fault injection: wraps the routes, applies the selected fault to each request, and accepts another script at run time. Without a
// script and an admin port the service has no wrapper, and the routes are independent of faults.
import type { Clock } from '../../lib/clock.ts';
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import { withoutBody, type HandledRequest, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { matchRoute, splitTarget } from '../http/resource-path.ts';
import { createRoutes, type RequestHandler, type RoutesDeps } from '../http/routes.ts';
import { errorResponse } from '../http/service-errors.ts';
import { invalidToken } from '../oauth/challenges.ts';
import { createFaultChooser, type Chosen, type FaultFacts, type RuleReport } from './choose.ts';
import { CorruptDelivery, type ResponseCorruption } from './corrupt-delivery.ts';
import { corruptResponse, type Corrupted } from './corrupt-response.ts';
import type { Fault, FaultRoute, FaultScript } from './fault.ts';
import { delayReactivation, ignoreUpdates, type ReRaises } from './faulty-stores.ts';
import { statusAnswer } from './status-answer.ts';

/** The script as written, with the counts of each rule. */
export interface FaultReport {
  readonly seed: number;
  readonly rules: readonly RuleReport[];
}

export interface Faults {
  readonly answer: RequestHandler;
  report(): FaultReport;
  /** Resets all counts and drops pending activations of `reRaise`. */
  replace(script: FaultScript): void;
  /** Must be called before the store closes. Idempotent. */
  stop(): void;
}

export function createFaults(deps: RoutesDeps, script: FaultScript): Faults {
  let current = install(deps, script);
  return {
    answer: (request) => current.answer(request),
    report: () => current.report(),
    replace(next) {
      current.stop();
      current = install(deps, next);
    },
    stop: () => current.stop(),
  };
}

type Installed = Omit<Faults, 'replace'>;

function install(deps: RoutesDeps, script: FaultScript): Installed {
  const reRaises = delayReactivation(deps.clock, deps.log);
  const routes = createRoutes(deps);
  const rules = script.rules.map(({ fault }) => ({ fault, routes: routesWith(fault, deps, reRaises) ?? routes }));
  const chooser = createFaultChooser(script);
  const asksWho = script.rules.some(({ match }) => match.principal !== undefined);

  const meet = (
    request: ServiceRequest,
    facts: FaultFacts,
    { index, delayMs }: Chosen,
  ): MaybePromise<HandledRequest> => {
    const rule = index === undefined ? undefined : rules[index];
    const finish = (corrupted: Corrupted) => handled(corrupted, rule?.fault.kind ?? 'latency', delayMs, deps.clock);
    if (!rule) return thenOrNow(routes(request), (answered) => finish({ answered }));
    const instead = answerInstead(rule.fault, request, facts, deps);
    if (instead) return finish(instead);
    return thenOrNow(rule.routes(request), (answered) =>
      finish(corruptResponse(answered, rule.fault, request, deps.publicOrigin)),
    );
  };

  return {
    answer(request) {
      const facts = factsOf(request, deps.providerNamespace);
      if (!facts) return routes(request);
      return thenOrNow(asksWho ? withPrincipal(facts, request, deps) : facts, (known) => {
        const chosen = chooser.choose(known);
        return chosen ? meet(request, known, chosen) : routes(request);
      });
    },
    report: () => ({ seed: script.seed, rules: chooser.report() }),
    stop: () => reRaises.stop(),
  };
}

/** Undefined for unknown and invalid paths, which no rule matches. */
function factsOf(request: ServiceRequest, providerNamespace: string): FaultFacts | undefined {
  const target = splitTarget(request.target);
  const route = target && matchRoute(target.path, providerNamespace);
  if (!route || route.name === 'unknown' || route.name === 'invalid') return undefined;
  if (route.name === 'list-alerts') return { route: route.name, scope: route.scope };
  if (route.name === 'update-alert') return { route: route.name, scope: route.scope, alert: route.alertName };
  return { route: route.name };
}

/** Adds the caller. Ignores a failure here, because the routes fail in the same way and report it. */
async function withPrincipal(facts: FaultFacts, request: ServiceRequest, deps: RoutesDeps): Promise<FaultFacts> {
  try {
    const caller = await deps.authorize(request);
    return 'principal' in caller ? { ...facts, principal: caller.principal.name } : facts;
  } catch {
    return facts;
  }
}

/** Routes over a faulty store, for faults that affect the state. */
function routesWith(fault: Fault, deps: RoutesDeps, reRaises: ReRaises): RequestHandler | undefined {
  if (fault.kind === 'ignoreUpdate') return createRoutes({ ...deps, store: ignoreUpdates(deps.store) });
  if (fault.kind === 'reRaise') return createRoutes({ ...deps, store: reRaises.over(deps.store, fault.afterMs) });
  return undefined;
}

/** The response of a fault that replaces the operation. */
function answerInstead(
  fault: Fault,
  { method }: ServiceRequest,
  { route }: FaultFacts,
  { clock }: RoutesDeps,
): Corrupted | undefined {
  const whole = responseInstead(fault, route, clock);
  if (!whole) return undefined;
  const response = method === 'HEAD' ? withoutBody(whole) : whole;
  const answered = { response, route, principal: 'none' } as const;
  return fault.kind === 'loseRequest' ? { answered, corruption: { cutAfterBytes: -1 } } : { answered };
}

function responseInstead(fault: Fault, route: FaultRoute, clock: Clock): ServiceResponse | undefined {
  if (fault.kind === 'status') return statusAnswer(fault, route, clock);
  if (fault.kind === 'expireToken') return invalidToken();
  return fault.kind === 'loseRequest' ? errorResponse('DatabaseUnavailable', 'The request was dropped.') : undefined;
}

/** The handled request with its delivery and the name of the fault. */
function handled({ answered, corruption }: Corrupted, fault: string, delayMs: number, clock: Clock): HandledRequest {
  if (delayMs === 0 && !corruption) return { ...answered, fault };
  const whole: ResponseCorruption = { ...corruption, ...(delayMs > 0 && { delayMs }) };
  return { ...answered, fault, delivery: new CorruptDelivery(whole, clock) };
}
