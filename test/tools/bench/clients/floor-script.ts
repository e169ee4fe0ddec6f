// The requests of the socket floor, as the bytes that go on the wire.
import type { ControlPlane } from '../../../../src/local/control-plane.ts';
import type { FleetPlace } from '../fleet-place.ts';
import { serviceToken } from '../fleet-place.ts';
import type { Setup } from '../setup.ts';
import { acceptOfWrites } from './kube-access.ts';
import type { FloorScript, PolicyScript } from './socket-floor.ts';
import type { Written } from './written.ts';

interface Policy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<'name' | 'namespace' | 'uid' | 'resourceVersion', string>>;
  readonly spec: { readonly scope: string; readonly alerts: readonly { readonly name: string }[] };
}

interface PolicyList {
  readonly items: readonly Policy[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

const json = 'application/json';
const resources = '/apis/rolealerts.dev/v1alpha1';
const apiVersion = 'api-version=2022-08-01-preview';

/** Reads the fleet, because a status write needs the version of its policy. */
export async function writeFloorScript(setup: Setup, place: FleetPlace, written: Written): Promise<FloorScript> {
  const kube = kubeRequests(setup.controlPlane);
  const lists = await listFleet(setup);
  const { resourceVersion } = lists.at(-1)?.metadata ?? { resourceVersion: '' };
  const url = new URL(setup.controlPlane.url);
  const watch = (plural: string) =>
    kube('GET', `${resources}/${plural}?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`);
  const statusTail = tailOf({ status: written.status });
  const eventTails = written.events.map((event) => tailOf(withoutIdentity(event)));
  const scriptOf = (policy: Policy) => policyScript(policy, { place, kube, statusTail, eventTails });
  return {
    kube: {
      host: url.hostname,
      port: Number(url.port),
      certificateAuthority: setup.controlPlane.certificateAuthority,
    },
    servicePort: place.tap.port,
    start: [
      kube('GET', `${resources}/rolealertconnections?limit=500`),
      ...['', ...lists.map(({ metadata }) => metadata.continue ?? '')].slice(0, lists.length).map((token) => {
        return kube('GET', pagePath(token));
      }),
      kube('GET', `/api/v1/namespaces/${place.namespace}/secrets/fleet-credential`),
    ],
    watches: [watch('rolealertconnections'), watch('rolealertpolicies')],
    policies: lists.flatMap(({ items }) => items).map(scriptOf),
    statusTail,
    eventTails,
  };
}

async function listFleet({ requests }: Setup): Promise<PolicyList[]> {
  const lists: PolicyList[] = [];
  for (let token = ''; ;) {
    const { body } = await requests.send('GET', pagePath(token));
    const list = body as unknown as PolicyList;
    lists.push(list);
    token = list.metadata.continue ?? '';
    if (token === '') return lists;
  }
}

function pagePath(token: string): string {
  const query = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
  return `${resources}/rolealertpolicies?limit=500${query}`;
}

type KubeRequest = (method: string, path: string, body?: { readonly head: string; readonly tail: string }) => string;

function kubeRequests({ url, adminToken }: ControlPlane): KubeRequest {
  const { host } = new URL(url);
  return (method, path, body) => {
    const accept = body ? acceptOfWrites : json;
    return requestText({ method, path, host, token: adminToken.reveal(), accept, body });
  };
}

interface PolicyContext {
  readonly place: FleetPlace;
  readonly kube: KubeRequest;
  readonly statusTail: string;
  readonly eventTails: readonly string[];
}

function policyScript(policy: Policy, { place, kube, statusTail, eventTails }: PolicyContext): PolicyScript {
  const { name, namespace, uid, resourceVersion } = policy.metadata;
  const { apiVersion, kind } = policy;
  const statusHead = headOf({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } });
  const regarding = { apiVersion, kind, namespace, name, uid };
  const eventHead = (index: number) => headOf({ metadata: { name: `${name}.floor${index}`, namespace }, regarding });
  const statusPath = `${resources}/namespaces/${namespace}/rolealertpolicies/${name}/status`;
  const eventsPath = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
  return {
    service: serviceRequests(policy, place),
    status: kube('PUT', statusPath, { head: statusHead, tail: statusTail }),
    events: eventTails.map((tail, index) => kube('POST', eventsPath, { head: eventHead(index), tail })),
  };
}

function serviceRequests({ spec: { scope, alerts } }: Policy, { tap, shape }: FleetPlace): string[] {
  const path = `/${scope}/providers/Vendor.Authorization/roleManagementAlerts`;
  const request = (method: string, rest: string, text?: string) =>
    requestText({
      method,
      path: `${path}${rest}?${apiVersion}`,
      host: `127.0.0.1:${tap.port}`,
      token: serviceToken,
      accept: json,
      body: text === undefined ? undefined : { head: text, tail: '' },
    });
  const activate = '{"properties":{"isActive":true}}';
  const drifted = alerts.slice(0, shape.driftedPerPolicy);
  return [request('GET', ''), ...drifted.map(({ name }) => request('PATCH', `/${name}`, activate)), request('GET', '')];
}

interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly token: string;
  readonly accept: string;
  readonly body: { readonly head: string; readonly tail: string } | undefined;
}

/** The request up to and with the head of its body; its length counts the tail as well. */
function requestText({ method, path, host, token, accept, body }: RequestParts): string {
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${host}`, `authorization: Bearer ${token}`, `accept: ${accept}`];
  if (!body) return `${lines.join('\r\n')}\r\n\r\n`;
  const length = Buffer.byteLength(body.head) + Buffer.byteLength(body.tail);
  return `${[...lines, `content-type: ${json}`, `content-length: ${length}`].join('\r\n')}\r\n\r\n${body.head}`;
}

/** A JSON object without its end, and one without its start: together they are one object. */
function headOf(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}

function tailOf(object: object): string {
  return `,${JSON.stringify(object).slice(1)}`;
}

function withoutIdentity(event: object): object {
  return Object.fromEntries(Object.entries(event).filter(([key]) => key !== 'metadata' && key !== 'regarding'));
}
