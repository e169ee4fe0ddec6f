// The resource scopes that a client or a user may access. A resource scope is the scope of section 2, whose alerts are meant; the OAuth
// scopes in scopes.ts are operations.
import { canonicalScope } from '../../alerts/resource-id.ts';

/** Resource scopes, each with everything below it. */
export type ResourceScopes = readonly string[];

/** True when `scope` is one of the allowed ones or below one. Compares whole segments, case-insensitively like the store. */
export function isWithin(allowed: ResourceScopes, scope: string): boolean {
  const wanted = canonicalScope(scope);
  return allowed.some((each) => {
    const start = canonicalScope(each);
    return wanted === start || wanted.startsWith(`${start}/`);
  });
}
