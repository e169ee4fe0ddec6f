// Maps a request to a response, without sockets. Defines the order of the checks: route, method, body size, caller, scope of the
// token, rate, resource scope, api-version, then the operation.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { AlertStore } from '../alerts/alert-store.ts';
import { listAlerts } from '../alerts/list-alerts.ts';
import type { PageResponses } from '../alerts/page-response.ts';
import { acceptPatch, updateAlert } from '../alerts/update-alert.ts';
import type { Authorize, Caller } from '../oauth/authorization.ts';
import { insufficientScope, scopeForbidden } from '../oauth/challenges.ts';
import type { Principal } from '../oauth/principals.ts';
import { isWithin } from '../oauth/resource-scopes.ts';
import type { OAuthScope } from '../oauth/scopes.ts';
import { createFailureLog } from './failure-log.ts';
import { failureResponse } from './failure-response.ts';
import type { OperationQuery, ParsedTarget, ParseTarget } from './known-targets.ts';
import {
  emptyResponse,
  headerOf,
  requestBodyLimitBytes,
  withoutBody,
  anonymous,
  type HandledRequest,
  type EndpointName,
  type RouteName,
  type ServiceRequest,
  type ServiceResponse,
} from './message.ts';
import type { RateLimit } from './rate-limit.ts';
import { methodsOf, type Route } from './resource-path.ts';
import { errorResponse } from './service-errors.ts';

/** The handler of an endpoint that is not an operation. A rejection becomes an `InternalError`. */
export type Page = (request: ServiceRequest) => MaybePromise<ServiceResponse>;

export interface RoutesDeps {
  readonly store: AlertStore;
  readonly authorize: Authorize;
  readonly rateLimit: RateLimit;
  readonly endpoints: Readonly<Record<EndpointName, Page>>;
  readonly providerNamespace: string;
  readonly apiVersion: string;
  readonly pageSize: number;
  /** The origin of links, if the options give a public URL. Absent: the origin that the client addressed. */
  readonly publicOrigin?: string | undefined;
  readonly parseTarget: ParseTarget;
  readonly pageResponses: PageResponses;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Never throws or rejects. Returns a promise only if it has to wait. */
export type RequestHandler = (request: ServiceRequest) => MaybePromise<HandledRequest>;

/** The refusal of a request by its headers, before its body arrives; undefined when the client may send the body. Never rejects. */
export type HeadCheck = (request: ServiceRequest) => MaybePromise<HandledRequest | undefined>;

type KnownRoute = Exclude<Route, { name: 'unknown' | 'invalid' }>;
type OperationRoute = Exclude<KnownRoute, { name: EndpointName }>;

/** Also how a failure becomes a response. */
interface GuardedDeps extends RoutesDeps {
  readonly failed: (error: unknown, request: ServiceRequest) => ServiceResponse;
}

export function createRoutes(deps: RoutesDeps): RequestHandler {
  return guarded(deps, (guardedDeps, request) => {
    const answered = answer(guardedDeps, request);
    return request.method === 'HEAD' ? thenOrNow(answered, withoutContent) : answered;
  });
}

/** Checks what `createRoutes` checks before the body, and nothing that counts a request. */
export function createHeadCheck(deps: RoutesDeps): HeadCheck {
  return guarded(deps, checkHead);
}

function withoutContent(answered: HandledRequest): HandledRequest {
  return { ...answered, response: withoutBody(answered.response) };
}

/** The value, or the response to a request that failed before its caller was known, or without one. */
function guarded<Result>(
  deps: RoutesDeps,
  work: (deps: GuardedDeps, request: ServiceRequest) => MaybePromise<Result>,
): (request: ServiceRequest) => MaybePromise<Result | HandledRequest> {
  const logFailure = createFailureLog(deps);
  const failed = (error: unknown, request: ServiceRequest): ServiceResponse => {
    logFailure(error, request);
    return failureResponse(error);
  };
  const guardedDeps = { ...deps, failed };
  const answerFailed = (error: unknown, request: ServiceRequest) =>
    anonymous(failed(error, request), nameOf(deps.parseTarget(request.target)?.route));
  return (request) => {
    try {
      const value = work(guardedDeps, request);
      return value instanceof Promise ? value.catch((error: unknown) => answerFailed(error, request)) : value;
    } catch (error) {
      return answerFailed(error, request);
    }
  };
}

function nameOf(route: Route | undefined): RouteName {
  return route === undefined || route.name === 'invalid' ? 'unknown' : route.name;
}

interface Found {
  readonly route: KnownRoute;
  readonly target: ParsedTarget;
}

function answer(deps: GuardedDeps, request: ServiceRequest): MaybePromise<HandledRequest> {
  const found = findRoute(deps, request);
  if ('response' in found) return found;
  const { route, target } = found;
  if (isOperation(route)) return answerOperation(deps, request, { route, target });
  return thenOrNow(deps.endpoints[route.name](request), (response) => anonymous(response, route.name));
}

function checkHead(deps: RoutesDeps, request: ServiceRequest): MaybePromise<HandledRequest | undefined> {
  const found = findRoute(deps, request);
  if ('response' in found) return found;
  const { route } = found;
  if (!isOperation(route)) return undefined;
  return thenOrNow(deps.authorize(request), (caller) => {
    if ('refusal' in caller) return anonymous(caller.refusal, route.name);
    const { principal } = caller;
    const response = checkScope(principal, route.name) ?? checkResourceScope(principal, route.scope);
    return response && { response, route: route.name, principal: principal.class };
  });
}

/** The route of the request, or the response that does not depend on the caller. */
function findRoute(deps: RoutesDeps, request: ServiceRequest): Found | HandledRequest {
  const target = deps.parseTarget(request.target);
  if (!target) return anonymous(errorResponse('InvalidTarget', 'The request target must be a path.'));
  const { route } = target;
  if (route.name === 'unknown') return anonymous(errorResponse('RouteNotFound', 'No operation has this path.'));
  if (route.name === 'invalid') return anonymous(errorResponse('InvalidPath', route.problem));
  const early = answerWithoutOperation(route, request);
  return early ? anonymous(early, route.name) : { route, target };
}

function isOperation(route: KnownRoute): route is OperationRoute {
  return route.name === 'list-alerts' || route.name === 'update-alert';
}

/** The responses that do not depend on the caller. */
function answerWithoutOperation(route: KnownRoute, request: ServiceRequest): ServiceResponse | undefined {
  const methods = methodsOf[route.name];
  if (!methods.includes(request.method)) {
    const allow = methods.join(', ');
    return errorResponse('MethodNotAllowed', `The methods of this path are ${allow}.`, { allow });
  }
  if (request.method === 'OPTIONS') {
    return emptyResponse(204, { allow: methods.join(', '), ...(route.name === 'update-alert' && acceptPatch) });
  }
  return isBodyTooLarge(request) ? bodyTooLarge() : undefined;
}

/** The announced length counts as well, because the body may not have been sent yet. A body of GET and HEAD is ignored. */
function isBodyTooLarge(request: ServiceRequest): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false;
  const announcedBytes = Number(headerOf(request, 'content-length') ?? 0);
  return Math.max(request.body.length, announcedBytes) > requestBodyLimitBytes;
}

function bodyTooLarge(): ServiceResponse {
  return errorResponse('BodyTooLarge', `The body is larger than ${requestBodyLimitBytes} bytes.`);
}

interface Called {
  readonly route: OperationRoute;
  readonly target: ParsedTarget;
}

function answerOperation(deps: GuardedDeps, request: ServiceRequest, called: Called): MaybePromise<HandledRequest> {
  const caller = deps.authorize(request);
  // No closures for a known token: this is the path of every list.
  if (caller instanceof Promise) return caller.then((late) => answerCaller(deps, request, called, late));
  return answerCaller(deps, request, called, caller);
}

function answerCaller(
  deps: GuardedDeps,
  request: ServiceRequest,
  called: Called,
  caller: Caller,
): MaybePromise<HandledRequest> {
  const { name } = called.route;
  if ('refusal' in caller) return anonymous(caller.refusal, name);
  const { principal } = caller;
  const response =
    checkScope(principal, name) ??
    checkRate(deps, principal) ??
    checkResourceScope(principal, called.route.scope) ??
    checkQuery(called.target.query, deps.apiVersion) ??
    operateOrFail(deps, request, called, principal);
  if (response instanceof Promise) return response.then((late) => toCaller(late, name, principal));
  return toCaller(response, name, principal);
}

/** A failure belongs to the caller as well. */
function operateOrFail(
  deps: GuardedDeps,
  request: ServiceRequest,
  called: Called,
  principal: Principal,
): MaybePromise<ServiceResponse> {
  try {
    const response = operate(deps, request, called, principal);
    return response instanceof Promise ? response.catch((error: unknown) => deps.failed(error, request)) : response;
  } catch (error) {
    return deps.failed(error, request);
  }
}

function toCaller(response: ServiceResponse, route: OperationRoute['name'], caller: Principal): HandledRequest {
  return { response, route, principal: caller.class, caller };
}

/** A token needs one of them. */
const scopesNeeded: Readonly<Record<OperationRoute['name'], readonly OAuthScope[]>> = {
  'list-alerts': ['user_impersonation', 'alerts.read'],
  'update-alert': ['user_impersonation'],
};

function checkScope({ scopes }: Principal, name: OperationRoute['name']): ServiceResponse | undefined {
  const needed = scopesNeeded[name];
  return needed.some((scope) => scopes.has(scope)) ? undefined : insufficientScope(needed);
}

function checkRate(deps: RoutesDeps, { class: kind, name }: Principal): ServiceResponse | undefined {
  const waitMs = deps.rateLimit(`${kind} ${name}`);
  if (waitMs === 0) return undefined;
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)) };
  return errorResponse('TooManyRequests', 'Rate limit exceeded.', headers);
}

/** Before the existence of the scope is checked, so that the response does not reveal it. */
function checkResourceScope({ resourceScopes = [] }: Principal, scope: string): ServiceResponse | undefined {
  return resourceScopes.every((allowed) => isWithin(allowed, scope)) ? undefined : scopeForbidden();
}

/** Ignores unknown parameters; refuses repeated known ones. */
function checkQuery({ repeated, apiVersion: given }: OperationQuery, apiVersion: string): ServiceResponse | undefined {
  if (repeated !== undefined) return errorResponse('InvalidQuery', `Duplicate query parameter ${repeated}.`);
  if (given === '') return errorResponse('MissingApiVersion', `Add the query parameter api-version=${apiVersion}.`);
  if (given === apiVersion) return undefined;
  return errorResponse('UnsupportedApiVersion', `The supported api-version is ${apiVersion}.`);
}

function operate(
  deps: RoutesDeps,
  request: ServiceRequest,
  { target, route }: Called,
  principal: Principal,
): MaybePromise<ServiceResponse> {
  if (route.name === 'list-alerts') {
    const { apiVersion, publicOrigin } = deps;
    const { skipToken } = target.query;
    const { scope } = route;
    const call = { request, scope, path: target.path, skipToken, apiVersion, publicOrigin };
    return listAlerts(deps, call);
  }
  const { scope, alertName } = route;
  return updateAlert(deps.store, { request, scope, alertName, principal, nowMs: deps.clock.now() });
}
