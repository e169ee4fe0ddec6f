// The shapes of policies and connections, as far as our types rely on them.
import { clusterConnectionKind, connectionKind, groupVersion, policyKind } from './resources.ts';
import { absent, anyText, flag, listOf, members, oneOf, text, texts, wholeFrom } from './shape.ts';

const identity = {
  name: text,
  uid: text,
  resourceVersion: text,
  generation: wholeFrom(0),
  creationTimestamp: text,
};
const optionalMetadata = { deletionTimestamp: text, finalizers: listOf(text), labels: texts, annotations: texts };

export const metadata = members({ ...identity, namespace: text }, optionalMetadata);
const clusterMetadata = members(identity, { ...optionalMetadata, namespace: absent });

const dismissal = members({ reason: text }, { incidents: listOf(text), maxIncidents: wholeFrom(0), until: text });

const correctionWindows = listOf(
  members({ kind: oneOf('Allow', 'Deny'), schedule: text, duration: text, timeZone: text }),
);

const policySpec = members(
  {
    connectionRef: members({ kind: oneOf(connectionKind, clusterConnectionKind), name: text }),
    scope: text,
    mode: oneOf('Enforce', 'Observe'),
    suspend: flag,
    unlisted: members({ state: oneOf('Ignore', 'Active'), minSeverity: oneOf('Low', 'Medium', 'High') }),
    damping: members({ maxDeactivations: wholeFrom(1), window: text }),
    incidents: members({ limit: wholeFrom(0) }),
  },
  {
    suspendUntil: text,
    interval: text,
    alerts: listOf(members({ name: text, state: oneOf('Active', 'Inactive') }, { dismissal })),
    correctionWindows,
  },
);

const valueOf = members({ name: text, key: text });

const connectionMembers = {
  endpoint: members(
    { baseURL: text, providerNamespace: text, apiVersion: text },
    { caBundleRef: members({ kind: oneOf('ConfigMap'), name: text, key: text }) },
  ),
  auth: members(
    {},
    {
      clientCredentials: members(
        { tokenURL: text, clientID: text, clientSecretRef: valueOf },
        { scopes: listOf(text) },
      ),
      federated: members(
        { tokenURL: text, clientID: text, serviceAccountName: text, audience: text },
        { scopes: listOf(text) },
      ),
      tokenSecretRef: valueOf,
    },
  ),
  deactivation: oneOf('Deny', 'Allow'),
  limits: members({
    requestsPerHour: wholeFrom(1),
    burst: wholeFrom(1),
    maxConcurrent: wholeFrom(1),
    requestTimeout: text,
    minInterval: text,
    maxPages: wholeFrom(1),
    maxPageBytes: wholeFrom(1),
    deactivationsPerHour: wholeFrom(0),
    maxDismissal: text,
  }),
};

const accessEntry = members({
  namespaceSelector: members(
    {},
    {
      matchLabels: texts,
      matchExpressions: listOf(
        members({ key: text, operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist') }, { values: listOf(anyText) }),
      ),
    },
  ),
  scopes: listOf(text),
  maxMode: oneOf('Observe', 'Enforce'),
  deactivation: oneOf('Deny', 'Allow'),
  unlisted: oneOf('Deny', 'Allow'),
});

const conditions = listOf(
  members(
    { type: text, status: oneOf('True', 'False', 'Unknown'), lastTransitionTime: text, reason: text, message: anyText },
    { observedGeneration: wholeFrom(0) },
  ),
);

export const policyStatus = members(
  { observedGeneration: wholeFrom(-1) },
  {
    lastHandledReconcileAt: anyText,
    conditions,
    effective: members({ mode: text, interval: text, scope: text }),
    summary: members({ declared: wholeFrom(0), inSync: wholeFrom(0), incidents: wholeFrom(0) }),
    alerts: listOf(
      members(
        { name: text, result: text, incidents: members({ total: wholeFrom(0) }) },
        {
          verifiedAt: text,
          lastDrift: members({ at: text, actorClass: text, direction: text }),
        },
      ),
    ),
    history: listOf(members({ at: text, alert: text, direction: text, reason: text, count: wholeFrom(0) })),
  },
);

export const connectionStatus = members(
  { observedGeneration: wholeFrom(-1) },
  {
    conditions,
    policies: wholeFrom(0),
    scopes: wholeFrom(0),
    namespaces: wholeFrom(0),
    predictedRequestsPerHour: wholeFrom(0),
    recentDeactivations: listOf(members({ at: text, namespace: text, scope: text, alert: text })),
    dismissalCount: wholeFrom(0),
    dismissals: listOf(
      members(
        { scope: text, alert: text, policy: anyText, since: text },
        { until: text, incidents: wholeFrom(1), maxIncidents: wholeFrom(0), reason: anyText, missingSince: text },
      ),
    ),
  },
);

export const policyShape = members({
  apiVersion: oneOf(groupVersion),
  kind: oneOf(policyKind),
  metadata,
  spec: policySpec,
});
export const connectionShape = members({
  apiVersion: oneOf(groupVersion),
  kind: oneOf(connectionKind),
  metadata,
  spec: members(connectionMembers, { correctionWindows }),
});
export const clusterConnectionShape = members({
  apiVersion: oneOf(groupVersion),
  kind: oneOf(clusterConnectionKind),
  metadata: clusterMetadata,
  spec: members(connectionMembers, { correctionWindows, access: listOf(accessEntry) }),
});
