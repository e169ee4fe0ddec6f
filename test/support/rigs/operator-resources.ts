// Creates, changes and awaits policies, connections and Secrets of one test's namespace. It waits for versions that the
// recorder received, so that waiting sends no requests.
import type { Recorded, StatusRecorder } from '../checks/status-recorder.ts';
import { eventually } from '../servers/control-plane.ts';
import type { ApiAnswer, KubeRequests } from './kube-requests.ts';

export interface Resources {
  /** Carries the credential label unless `labels` says otherwise. */
  createSecret(name: string, values: Readonly<Record<string, string>>, labels?: object): Promise<void>;
  deleteSecret(name: string): Promise<void>;
  /** `prod`, to the rig's service with its token, deactivation allowed and limits that never hold a test up. */
  createConnection(change?: { readonly name?: string; readonly spec?: object }): Promise<void>;
  /** Through `prod` unless the spec says otherwise. */
  createPolicy(name: string, spec: object): Promise<void>;
  /** A merge patch of the spec. */
  editPolicy(name: string, spec: object): Promise<void>;
  editConnection(name: string, spec: object): Promise<void>;
  deletePolicy(name: string): Promise<void>;
  deleteConnection(name: string): Promise<void>;
  /** Before the port of their service is free for another test, whose commands find every connection to a service. */
  deleteConnections(): Promise<void>;
  /** Asks for a reconcile and resolves when a status echoes it. */
  reconcileNow(name: string): Promise<Recorded>;
  /** Requests a reconcile and does not wait: a failure that is retried leaves the echo as it was. */
  requestReconcile(name: string): Promise<void>;
  /** Resolves when a condition of the newest spec has `STATUS/REASON`. */
  policyIs(name: string, type: string, expected: string): Promise<Recorded>;
  connectionIs(name: string, expected: string): Promise<Recorded>;
  policy(name: string): Recorded;
  connection(name: string): Recorded;
  /** Events of the namespace as `REASON OBJECT: NOTE`, oldest first. */
  events(): Promise<readonly string[]>;
  /** A bare request below the namespace's custom resources, as the administrator. */
  send(method: 'GET' | 'PUT' | 'PATCH', path: string, body?: unknown): Promise<ApiAnswer>;
}

interface Parts {
  readonly requests: KubeRequests;
  readonly namespace: string;
  readonly recorder: StatusRecorder;
  readonly serviceURL: string;
}

const groupVersion = 'rolealerts.dev/v1alpha1';

const generousLimits = {
  requestsPerHour: 1_000_000,
  burst: 10_000,
  maxConcurrent: 16,
  requestTimeout: '10s',
  minInterval: '5s',
};

export function createResources({ requests, namespace, recorder, serviceURL }: Parts): Resources {
  const base = `/apis/${groupVersion}/namespaces/${namespace}`;
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  /** The generation that the last edit of an object made; what speaks of an older one is not waited for. */
  const generations = new Map<string, number>();
  const labelled = { 'rolealerts.dev/credential': 'true' };

  const must = async (...[method, path, body]: Parameters<KubeRequests['send']>): Promise<ApiAnswer> => {
    const answer = await requests.send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body?.message}`);
    return answer;
  };
  const write = async (...[method, path, body]: Parameters<KubeRequests['send']>) => {
    const { body: object } = await must(method, path, body);
    const { name, generation } = object?.metadata ?? {};
    generations.set(`${object?.kind}/${String(name)}`, Number(generation));
  };
  const waitFor = async (
    kind: 'RoleAlertPolicy' | 'RoleAlertConnection',
    name: string,
    what: string,
    fits: (object: Recorded) => boolean,
  ): Promise<Recorded> => {
    const ask = () => {
      const object = recorder.latest(kind, name);
      return object && object.metadata.generation >= (generations.get(`${kind}/${name}`) ?? 1) && fits(object)
        ? object
        : undefined;
    };
    try {
      return await eventually(`${kind} ${name} ${what}`, ask);
    } catch (error) {
      const { status, metadata } = recorder.latest(kind, name) ?? {};
      throw new Error(`generation ${metadata?.generation}: ${JSON.stringify(status)}`, { cause: error });
    }
  };
  const has = (type: string, expected: string) => (object: Recorded) => {
    const found = object.status.conditions?.find((condition) => condition.type === type);
    if (expected === 'absent') return found === undefined;
    return (
      found !== undefined &&
      found.observedGeneration === object.metadata.generation &&
      `${found.status}/${found.reason}` === expected
    );
  };
  const known = (kind: 'RoleAlertPolicy' | 'RoleAlertConnection', name: string) => {
    const object = recorder.latest(kind, name);
    if (!object) throw new Error(`there is no ${kind} ${name}`);
    return object;
  };
  let requested = 0;

  /** Returns the value that the status echoes once the request was handled. */
  async function request(name: string): Promise<string> {
    const value = `request-${(requested += 1)}`;
    const metadata = { annotations: { 'rolealerts.dev/requestedAt': value } };
    await write('PATCH', `${base}/rolealertpolicies/${name}`, { metadata });
    return value;
  }

  return {
    async createSecret(name, values, labels = labelled) {
      await must('POST', secrets, { metadata: { name, labels }, stringData: values });
    },
    async deleteSecret(name) {
      await must('DELETE', `${secrets}/${name}`);
    },
    async createConnection({ name = 'prod', spec = {} } = {}) {
      const whole = {
        endpoint: { baseURL: serviceURL },
        auth: { tokenSecretRef: { name: 'credentials', key: 'token' } },
        deactivation: 'Allow',
        ...spec,
        limits: { ...generousLimits, ...(spec as { limits?: object }).limits },
      };
      const object = { apiVersion: groupVersion, kind: 'RoleAlertConnection', metadata: { name }, spec: whole };
      await write('POST', `${base}/rolealertconnections`, object);
    },
    async createPolicy(name, spec) {
      const whole = { connectionRef: { name: 'prod' }, ...spec };
      const object = { apiVersion: groupVersion, kind: 'RoleAlertPolicy', metadata: { name }, spec: whole };
      await write('POST', `${base}/rolealertpolicies`, object);
    },
    editPolicy: (name, spec) => write('PATCH', `${base}/rolealertpolicies/${name}`, { spec }),
    editConnection: (name, spec) => write('PATCH', `${base}/rolealertconnections/${name}`, { spec }),
    async deletePolicy(name) {
      await must('DELETE', `${base}/rolealertpolicies/${name}`);
      generations.delete(`RoleAlertPolicy/${name}`);
    },
    async deleteConnection(name) {
      await must('DELETE', `${base}/rolealertconnections/${name}`);
      generations.delete(`RoleAlertConnection/${name}`);
    },
    async deleteConnections() {
      await requests.send('DELETE', `${base}/rolealertconnections`);
    },
    async reconcileNow(name) {
      const value = await request(name);
      return waitFor(
        'RoleAlertPolicy',
        name,
        `echoes ${value}`,
        ({ status }) => status.lastHandledReconcileAt === value,
      );
    },
    async requestReconcile(name) {
      await request(name);
    },
    policyIs: (name, type, expected) => waitFor('RoleAlertPolicy', name, `${type}=${expected}`, has(type, expected)),
    connectionIs: (name, expected) => waitFor('RoleAlertConnection', name, `Ready=${expected}`, has('Ready', expected)),
    policy: (name) => known('RoleAlertPolicy', name),
    connection: (name) => known('RoleAlertConnection', name),
    async events() {
      const { body } = await must('GET', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
      const { items = [] } = body as unknown as { items?: EventObject[] };
      return items
        .toSorted((a, b) => a.eventTime.localeCompare(b.eventTime))
        .map(({ reason, regarding, note }) => `${reason} ${regarding.name}: ${note}`);
    },
    send: (method, path, body) => must(method, `${base}/${path}`, body),
  };
}

interface EventObject {
  readonly eventTime: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly name: string };
}
