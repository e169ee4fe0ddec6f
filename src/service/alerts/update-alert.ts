// Section 4.2: sets the active flag of one alert. The body is `{"properties":{"isActive":true|false}}` and nothing else. An
// ambiguous body is refused, because a wrong interpretation could deactivate an alert.
import { isBoolean, isObject, parseJson } from '../../lib/json-shape.ts';
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { ChangeCause } from '../audit/audit-record.ts';
import {
  emptyResponse,
  headerOf,
  mediaTypeOf,
  textOf,
  type ServiceRequest,
  type ServiceResponse,
} from '../http/message.ts';
import { errorResponse, type ServiceErrorCode } from '../http/service-errors.ts';
import type { Principal } from '../oauth/principals.ts';
import type { AlertStore, ChangeOutcome } from './alert-store.ts';

export interface UpdateCall {
  readonly request: ServiceRequest;
  readonly scope: string;
  readonly alertName: string;
  readonly principal: Principal;
  readonly nowMs: number;
}

/** Values of createdByType (section 2.7). A shared token is a key. */
const modifierTypes = { user: 'User', client: 'Application', 'static-token': 'Key' } as const;

interface BodyProblem {
  readonly code: ServiceErrorCode;
  readonly message: string;
  /** What the service accepts instead. */
  readonly headers?: Record<string, string>;
}

/** The media type of an update, as a header of RFC 5789 section 3.1. */
export const acceptPatch = { 'accept-patch': 'application/json' };

export function updateAlert(store: AlertStore, call: UpdateCall): MaybePromise<ServiceResponse> {
  const { request, scope, alertName, principal, nowMs } = call;
  const wanted = parseUpdate(request);
  if (!isBoolean(wanted)) return errorResponse(wanted.code, wanted.message, wanted.headers);
  const modifier = { by: principal.name, byType: modifierTypes[principal.class], atMs: nowMs };
  const cause = causeOf(call);
  return thenOrNow(store.changeActive({ scope, alertName, isActive: wanted, modifier, cause }), outcomeResponse);
}

function causeOf({ request: { clientAddress, requestID }, principal }: UpdateCall): ChangeCause {
  const { class: actorType, name: actor, clientID } = principal;
  return { action: 'update', actorType, actor, clientID, clientAddress, requestID };
}

function outcomeResponse(outcome: ChangeOutcome): ServiceResponse {
  if (outcome === 'scope-unknown') return errorResponse('ScopeNotFound', 'The service does not know this scope.');
  if (outcome === 'alert-unknown') return errorResponse('AlertNotFound', 'The scope has no alert of this name.');
  return emptyResponse(204);
}

/** The flag in the body, or the problem of an invalid body. */
function parseUpdate(request: ServiceRequest): boolean | BodyProblem {
  const encoding = headerOf(request, 'content-encoding') ?? 'identity';
  if (mediaTypeOf(request) !== 'application/json' || encoding.toLowerCase() !== 'identity') {
    const message = 'Send the body as application/json in UTF-8, not compressed.';
    return { code: 'UnsupportedMediaType', message, headers: { ...acceptPatch, 'accept-encoding': 'identity' } };
  }
  const text = textOf(request.body);
  const body = text === undefined ? undefined : parseJson(text);
  if (text === undefined || body === undefined) return { code: 'MalformedJson', message: 'The body is not JSON.' };
  return decodeBody(body, text);
}

function decodeBody(body: unknown, text: string): boolean | BodyProblem {
  if (!isObject(body)) return invalid('The body must be an object.');
  const { properties, ...others } = body;
  if (Object.keys(others).length > 0) return invalid('The body may only have the member "properties".');
  if (!isObject(properties)) return invalid('"properties" must be an object.');
  const { isActive, ...rest } = properties;
  if (Object.keys(rest).length > 0) return invalid('Only "isActive" can be changed; remove the other properties.');
  if (!isBoolean(isActive)) return invalid('"properties.isActive" must be true or false.');
  return repeatsMember(text) ? invalid('The body repeats a member.') : isActive;
}

/** A body of the right shape contains exactly two strings, the member names. More quotes mean a repeated member. */
function repeatsMember(text: string): boolean {
  return text.split('"').length !== 5;
}

function invalid(message: string): BodyProblem {
  return { code: 'InvalidBody', message };
}
