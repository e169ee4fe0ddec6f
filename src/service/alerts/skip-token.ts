// The place in a list where the next page begins, as opaque text. It names a position that no PATCH moves, so pages
// neither repeat nor lose an alert while others write. It is bound to its scope, not signed: it grants nothing.
import { createHash } from 'node:crypto';

import { canonicalName } from '../../alerts/resource-id.ts';

/** The token for the page after `position`. */
export function formatSkipToken(scope: string, position: number): string {
  return Buffer.from(`${position}.${fingerprint(scope)}`).toString('base64url');
}

/** The position in `token`; undefined when it is not a token of `scope`. */
export function parseSkipToken(scope: string, token: string): number | undefined {
  const [position = '', mark] = Buffer.from(token, 'base64url').toString('latin1').split('.');
  const isOurs = /^[0-9]{1,15}$/.test(position) && mark === fingerprint(scope);
  return isOurs && formatSkipToken(scope, Number(position)) === token ? Number(position) : undefined;
}

function fingerprint(scope: string): string {
  return createHash('sha256').update(canonicalName(scope)).digest('base64url').slice(0, 12);
}
