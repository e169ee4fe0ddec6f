// A policy as a user writes it, for tests that need no operator.
import { groupVersion, policyKind } from '../../../src/policy/resources.ts';

/** Without a namespace; on a scope of its own. */
export const policyManifest = (name: string) => ({
  apiVersion: groupVersion,
  kind: policyKind,
  metadata: { name },
  spec: {
    connectionRef: { name: 'prod' },
    scope: `subscriptions/${name}`,
    alerts: [{ name: 'Owners', state: 'Active' }],
  },
});
