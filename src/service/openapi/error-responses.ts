// The error responses of an operation: one for each status of service-errors.ts, with every possible code as an example. Derived
// from service-errors.ts, so that new codes appear automatically.
import { serviceErrors, type ServiceErrorCode } from '../http/service-errors.ts';
import type { Header, MediaType, Response } from './document-types.ts';
import { ref } from './vocabulary.ts';

const retryAfter: Header = {
  required: true,
  description: 'Seconds to wait before the next request.',
  schema: { type: 'integer', minimum: 0 },
};

const challenge: Header = {
  required: true,
  description: 'The challenge of RFC 6750 section 3.',
  schema: { type: 'string', pattern: '^Bearer ' },
};

/** Headers that a client needs for its next request, by status. */
const headersOf: Readonly<Record<number, Readonly<Record<string, Header>>>> = {
  401: { 'WWW-Authenticate': challenge },
  403: { 'WWW-Authenticate': challenge },
  405: { Allow: { required: true, description: 'The methods of this path.', schema: { type: 'string' } } },
  429: { 'Retry-After': retryAfter },
  503: { 'Retry-After': retryAfter },
};

/** The responses by status, with `default`. `impossible` are the codes that this operation never returns. */
export function errorResponses(impossible: ReadonlySet<ServiceErrorCode>): Record<string, Response> {
  const codes = (Object.keys(serviceErrors) as ServiceErrorCode[]).filter((code) => !impossible.has(code));
  const byStatus = Map.groupBy(codes, (code) => serviceErrors[code].status);
  const described = [...byStatus].map(([status, all]) => [String(status), errorResponse(status, all)] as const);
  return {
    ...Object.fromEntries(described),
    default: {
      description: 'Any other error status (section 7).',
      content: { 'application/json': { schema: ref('ErrorBody') } },
    },
  };
}

function errorResponse(status: number, codes: readonly ServiceErrorCode[]): Response {
  const headers = headersOf[status];
  return {
    description: codes.map((code) => `\`${code}\`: ${serviceErrors[code].when}.`).join(' '),
    ...(headers ? { headers } : {}),
    content: { 'application/json': errorContent(codes) },
  };
}

function errorContent(codes: readonly ServiceErrorCode[]): MediaType {
  const examples = codes.map((code) => {
    const { when } = serviceErrors[code];
    const message = `${when.charAt(0).toUpperCase()}${when.slice(1)}.`;
    return [code, { summary: when, value: { error: { code, message } } }] as const;
  });
  return { schema: ref('ErrorBody'), examples: Object.fromEntries(examples) };
}
