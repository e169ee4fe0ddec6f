// The undici baseline: what the same requests cost without any decisions. It sends the requests that the operator sends
// for the same fleet, through undici, over as many sockets, parses the responses and serialises the requests.
// `node undici-baseline.mjs JOB`; prints `done` and waits for the end of its standard input, so that it can be measured.
import { readFileSync } from 'node:fs';

import { Pool } from 'undici';

import type { Written } from './written.ts';

export interface BaselineJob extends Written {
  readonly kube: { readonly url: string; readonly token: string; readonly certificateAuthority: string };
  readonly service: { readonly url: string; readonly token: string };
  readonly secretPath: string;
}

interface Policy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly scope: string };
}

interface PolicyList {
  readonly items: readonly Policy[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

interface AlertPage {
  readonly value: readonly { readonly name: string; readonly properties: { readonly isActive: boolean } }[];
}

/** Of writes, as the operator asks: the response to a write has metadata only. */
const acceptOfWrites = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';
const workers = 4;
const eventSenders = 2;
const resources = '/apis/rolealerts.dev/v1alpha1';

const job = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as BaselineJob;
const connect = { ca: job.kube.certificateAuthority };
const kube = new Pool(job.kube.url, { connect, connections: 4, allowH2: false });
const watches = new Pool(job.kube.url, { connect, bodyTimeout: 0, allowH2: false });
const service = new Pool(job.service.url, { connections: workers });
const kubeHeaders = {
  authorization: `Bearer ${job.kube.token}`,
  accept: 'application/json',
  'content-type': 'application/json',
};
const serviceHeaders = {
  authorization: `Bearer ${job.service.token}`,
  accept: 'application/json',
  'content-type': 'application/json',
};

async function askKube<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<T> {
  const headers = body ? { ...kubeHeaders, accept: acceptOfWrites } : kubeHeaders;
  const answer = await kube.request({ method, path, headers, body: body ? JSON.stringify(body) : null });
  const text = await answer.body.text();
  if (answer.statusCode > 299) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return JSON.parse(text) as T;
}

async function askService(method: 'GET' | 'PATCH', path: string, body?: object): Promise<string> {
  const sent = { method, path: `${path}?api-version=2022-08-01-preview`, headers: serviceHeaders };
  const answer = await service.request({ ...sent, body: body ? JSON.stringify(body) : null });
  const text = await answer.body.text();
  if (answer.statusCode > 299) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return text;
}

async function listPolicies(): Promise<{ policies: Policy[]; resourceVersion: string }> {
  const policies: Policy[] = [];
  let token = '';
  for (;;) {
    const query = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
    const list = await askKube<PolicyList>('GET', `${resources}/rolealertpolicies?limit=500${query}`);
    policies.push(...list.items);
    token = list.metadata.continue ?? '';
    if (token === '') return { policies, resourceVersion: list.metadata.resourceVersion };
  }
}

async function watch(plural: string, resourceVersion: string): Promise<void> {
  const path = `${resources}/${plural}?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`;
  const { body } = await watches.request({ method: 'GET', path, headers: kubeHeaders });
  body.setEncoding('utf8');
  let rest = '';
  body.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) JSON.parse(line);
  });
}

/** Policies whose events are not sent yet; `undefined` ends a sender. */
const queued: (Policy | undefined)[] = [];

async function correct(policy: Policy): Promise<void> {
  const path = `/${policy.spec.scope}/providers/Vendor.Authorization/roleManagementAlerts`;
  const { value } = JSON.parse(await askService('GET', path)) as AlertPage;
  for (const { name, properties } of value) {
    if (!properties.isActive) await askService('PATCH', `${path}/${name}`, { properties: { isActive: true } });
  }
  JSON.parse(await askService('GET', path));
  const { name, namespace, uid, resourceVersion } = policy.metadata;
  const { apiVersion, kind } = policy;
  const metadata = { name, namespace, uid, resourceVersion };
  const statusPath = `${resources}/namespaces/${namespace}/rolealertpolicies/${name}/status`;
  await askKube('PUT', statusPath, { apiVersion, kind, metadata, status: job.status });
  queued.push(policy);
}

async function sendEvents(): Promise<void> {
  for (;;) {
    if (queued.length === 0) await nextTurn();
    else {
      const policy = queued.shift();
      if (!policy) return;
      await sendEventsOf(policy);
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
}

async function sendEventsOf({ apiVersion, kind, metadata: { namespace, name, uid } }: Policy): Promise<void> {
  const regarding = { apiVersion, kind, namespace, name, uid };
  for (const [index, event] of job.events.entries()) {
    const metadata = { name: `${name}.baseline${index}`, namespace };
    await askKube('POST', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`, { ...event, metadata, regarding });
  }
}

const connections = await askKube<PolicyList>('GET', `${resources}/rolealertconnections?limit=500`);
const { policies, resourceVersion } = await listPolicies();
await watch('rolealertconnections', connections.metadata.resourceVersion);
await watch('rolealertpolicies', resourceVersion);
await askKube('GET', job.secretPath);
const left = [...policies].reverse();
const correctAll = async () => {
  for (let policy = left.pop(); policy !== undefined; policy = left.pop()) await correct(policy);
};
const sending = Array.from({ length: eventSenders }, sendEvents);
await Promise.all(Array.from({ length: workers }, correctAll));
queued.push(...sending.map(() => undefined));
await Promise.all(sending);
process.stdout.write('done\n');
process.stdin.resume().once('end', () => process.exit(0));
