// Reconcile requests of one record as numbers: a plan compares them and reads nothing else of them, and a person may have written one.

/** The same text gives the same alias, in the order of the first occurrence; no text stays without one. */
export type RequestAliases = (request: string) => string;

export function requestAliases(): RequestAliases {
  const aliases = new Map<string, string>();
  return (request) => {
    if (request === '') return request;
    const alias = aliases.get(request) ?? `request-${aliases.size + 1}`;
    aliases.set(request, alias);
    return alias;
  };
}
