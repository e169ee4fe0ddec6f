// Failures of one scope: the service refuses to list it, or its response cannot be used.
import type { SimAnswer } from '../engine/types.ts';
import { namespace } from '../fixture.ts';
import { type Failure, type Stage } from './failure.ts';

const object = 'RoleAlertPolicy/owners';

/** In place of the list. */
const instead =
  (answer: SimAnswer) =>
  ({ setFate }: Stage): void =>
    setFate(({ method, path }) =>
      method === 'GET' && path.includes('roleManagementAlerts') ? { kind: 'replace', answer } : undefined,
    );

const refusal = (status: number, code: string): SimAnswer => ({
  status,
  body: JSON.stringify({ error: { code, message: 'in the words of the service' } }),
});

const page = (body: string): SimAnswer => ({ status: 200, body });

export const scopeFailures: readonly Failure[] = [
  {
    title: 'the identity of the connection may not list the scope',
    after: instead(refusal(403, 'AuthorizationFailed')),
    clue: { object, reason: 'ScopeForbidden', cause: [/\bnot allow\b/, /AuthorizationFailed/], fix: /\bgrant\b/i },
  },
  {
    title: 'the service does not know the scope',
    alerts: undefined,
    clue: { object, reason: 'ScopeNotFound', cause: [/\bunknown to the service\b/], fix: /\bcheck\b/i },
  },
  {
    title: 'a login page answers in place of the service',
    after: instead(page('<html>sign in</html>')),
    clue: { object, reason: 'ProtocolError', cause: [/\bnot a valid list\b/], fix: /\bbaseURL\b/ },
  },
  {
    title: 'the list of alerts is longer than the limit',
    connection: { limits: { maxPageBytes: 65_536 } },
    after: instead(page(JSON.stringify({ value: [], padding: 'x'.repeat(100_000) }))),
    clue: { object, reason: 'ListTooLarge', cause: [/\bexceeds\b/], fix: /\bmaxPageBytes\b/ },
  },
  {
    title: 'the connection of the policy is deleted',
    after: ({ world: { api } }) => void api.writes.delete(api.resource('rolealertconnections'), namespace, 'prod'),
    clue: { object, reason: 'ConnectionNotFound', cause: [/\bprod\b/, /\bdoes not exist\b/], fix: /\bcreate\b/i },
  },
  {
    title: 'a policy is suspended and forgotten',
    after: ({ world: { api } }) =>
      void api.writes.mergePatch(api.resource('rolealertpolicies'), namespace, 'owners', { spec: { suspend: true } }),
    clue: { object, reason: 'Suspended', cause: [/\bsuspended\b/], fix: /\bspec\.suspend\b/ },
    silent: { events: 'a person suspended it; `status` and its rule count it with its age' },
  },
];
