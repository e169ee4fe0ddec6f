// Parses the parameters of OAuth requests. Each may occur once; one without a value counts as absent (RFC 6749 sections 3.1 and 3.2).
import { mediaTypeOf, textOf, type ServiceRequest } from '../http/message.ts';

export type Parameters = ReadonlyMap<string, string>;

export interface ParsedParameters {
  readonly parameters: Parameters;
  /** Names that occur more than once; `parameters` has the first value. */
  readonly repeated: ReadonlySet<string>;
}

export function parseParameters(text: string): ParsedParameters {
  const all = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (all.has(name)) repeated.add(name);
    else all.set(name, value);
  }
  return { parameters: new Map([...all].filter(([, value]) => value !== '')), repeated };
}

/** The parameters of a body; undefined when it is not a form in UTF-8. */
export function parseFormBody(request: ServiceRequest): ParsedParameters | undefined {
  const text = textOf(request.body);
  const isForm = mediaTypeOf(request) === 'application/x-www-form-urlencoded';
  return isForm && text !== undefined ? parseParameters(text) : undefined;
}
