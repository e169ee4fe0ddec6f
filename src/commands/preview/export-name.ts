// The name of the policy that is exported for a scope: a DNS label that depends on the scope alone.
import { createHash } from 'node:crypto';

import { canonicalScope } from '../../alerts/resource-id.ts';

/** The maximum length of a DNS label. */
const limit = 63;
const hashLength = 10;

/** A whole subscription by its id, which is a name already. */
const plain = /^subscriptions\/([a-z0-9]([a-z0-9-]*[a-z0-9])?)$/;

/**
 * `subscription-ID` for a whole subscription. Other scopes end with a hash of the canonical scope, because different ones would
 * share their readable part. Spellings of one scope have one name. `part`: from 1 for further policies of the scope.
 */
export function exportName(scope: string, part = 0): string {
  const canonical = canonicalScope(scope);
  const suffix = part === 0 ? '' : `-${part + 1}`;
  const [, id] = plain.exec(canonical) ?? [];
  const name = `subscription-${id}${suffix}`;
  if (id !== undefined && name.length <= limit) return name;
  const end = `-${hashOf(canonical)}${suffix}`;
  return `${readable(canonical, limit - end.length)}${end}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength);
}

/** The end of the scope says more than its beginning. Begins with a letter. */
function readable(canonical: string, length: number): string {
  const words = canonical.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const end = `scope-${words}`.length <= length ? words : words.slice(-(length - 'scope-'.length));
  return `scope-${end}`.replace(/-{2,}/g, '-').replace(/-$/, '');
}
