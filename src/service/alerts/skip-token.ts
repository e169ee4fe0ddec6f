// The position of the next page as opaque text. No PATCH changes a position, so pages neither repeat nor lose an alert during
// writes. The token is bound to its scope but not signed, because it grants nothing.
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
