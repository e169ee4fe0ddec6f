import { expect, test } from 'vitest';

import { parseScopes, type OAuthScope } from '../../../../src/service/oauth/scopes.ts';

const all: readonly OAuthScope[] = ['user_impersonation', 'alerts.read'];
const reader: readonly OAuthScope[] = ['alerts.read'];

test.each([
  ['nothing', undefined, all, ['user_impersonation']],
  ['nothing by a reader', undefined, reader, ['alerts.read']],
  ['both', 'alerts.read user_impersonation', all, ['user_impersonation', 'alerts.read']],
  ['one twice', 'alerts.read alerts.read', all, ['alerts.read']],
  ['one that does not exist', 'alerts.write', all, undefined],
  ['one that exists and one that does not', 'alerts.read x', all, undefined],
  ['one that is not allowed', 'user_impersonation', reader, undefined],
])('asking for %s', (_, text, allowed, granted) => expect(parseScopes(text, allowed)).toEqual(granted));
