// `GET /audit` of the admin port: pages of the audit trail.
import { isWholeNumber } from '../../lib/json-shape.ts';
import type { AuditPosition, AuditQuery, ReadAudit } from '../audit/audit-trail.ts';
import { parseTime } from '../config-files/shape.ts';
import { jsonResponse, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { splitTarget } from '../http/resource-path.ts';
import { adminError } from './admin-error.ts';

const mostOnPage = 1000;
const usualOnPage = 100;
const names = ['scope', 'alert', 'since', 'after', 'limit'];

export async function showAudit(read: ReadAudit | undefined, request: ServiceRequest): Promise<ServiceResponse> {
  if (!read) return adminError('NoAudit', 'The service runs without an audit trail.');
  const parameters = new URLSearchParams(splitTarget(request.target)?.query ?? '');
  const query = decodeQuery(parameters);
  if (typeof query === 'string') return adminError('InvalidQuery', query);
  const { records, next } = await read(query);
  return jsonResponse(200, JSON.stringify({ records, ...(next !== undefined && { next: nextOf(parameters, next) }) }));
}

/** The target of the next page. */
function nextOf(parameters: URLSearchParams, { commitOrder, id }: AuditPosition): string {
  const following = new URLSearchParams(parameters);
  following.set('after', commitOrder === 0 ? String(id) : `${commitOrder}.${id}`);
  return `/audit?${following.toString()}`;
}

/** The problem of an invalid query, as a sentence. */
function decodeQuery(parameters: URLSearchParams): AuditQuery | string {
  const unusual = [...parameters.keys()].find((name, index, all) => !names.includes(name) || all.indexOf(name) < index);
  if (unusual !== undefined) return `The parameters are ${names.join(', ')}, each at most once.`;
  const [scope, alertName] = [parameters.get('scope') ?? undefined, parameters.get('alert') ?? undefined];
  if ([scope, alertName].some((name) => name?.includes('\0')))
    return 'A scope and an alert have no control characters.';
  if (scope === undefined && alertName !== undefined) return 'The parameter alert needs the parameter scope.';
  const since = parameters.get('since');
  const sinceMs = since === null ? 0 : parseTime(since);
  if (sinceMs === undefined) return 'The parameter since must be a time like 2026-12-24T18:00:00Z.';
  const after = positionOf(parameters.get('after') ?? '0');
  if (after === undefined) return 'The parameter after must be that of the next page.';
  const limit = wholeOf(parameters, 'limit', usualOnPage, 1, mostOnPage);
  if (limit === undefined) return `The parameter limit must be a whole number from 1 to ${mostOnPage}.`;
  return { scope, alertName, sinceMs, after, limit };
}

/** The id of a record, behind its place in the order of commits if it has one. */
function positionOf(text: string): AuditPosition | undefined {
  const [, commitOrder = '0', id = ''] = /^(?:([0-9]{1,16})\.)?([0-9]{1,16})$/.exec(text) ?? [];
  const position = { commitOrder: Number(commitOrder), id: Number(id) };
  return id !== '' && Object.values(position).every(Number.isSafeInteger) ? position : undefined;
}

function wholeOf(
  parameters: URLSearchParams,
  name: string,
  fallback: number,
  least: number,
  most: number,
): number | undefined {
  const text = parameters.get(name);
  if (text === null) return fallback;
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : undefined;
  return isWholeNumber(value, least, most) ? value : undefined;
}
