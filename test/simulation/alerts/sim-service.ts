// The alerts service of the specification as a host on the simulated network, written from the specification alone: list
// (4.1), update (4.2), errors (2.8), and a token endpoint. Unlike a real one, it may show an accepted update late, and may
// lose it. The oracles see its real state and every request.
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { SimAnswer, SimHost, SimRequest } from '../engine/types.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import { alertDocument } from './alert-document.ts';
import { SimAccounts } from './sim-accounts.ts';
import { type SimAlert, type SimIncident, sameText } from './sim-alert.ts';

/** A request as the service understood it. */
export interface ServiceCall {
  readonly atMs: number;
  readonly sentAtMs: number;
  readonly process: string;
  /** Of the service that was called. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** Who called: the name behind the token; undefined when it was refused. */
  readonly caller: string | undefined;
  readonly kind: 'list' | 'patch' | 'token' | 'unknown';
  readonly scope: string;
  readonly alert: string;
  readonly isActive: boolean | undefined;
  readonly status: number;
  /** For an applied PATCH: the previous flag. */
  readonly wasActive?: boolean;
  readonly page?: number;
  /** For a list: the alerts of this page. */
  readonly shown?: readonly ShownAlert[];
  readonly isLastPage?: boolean;
}

/** An alert as a list shows it. */
export interface ShownAlert {
  readonly name: string;
  readonly isActive: boolean;
  readonly severity: string;
  readonly incidents: readonly string[];
  readonly incidentCount: number;
}

export interface SimServiceOptions {
  readonly time: VirtualTime;
  readonly origin: string;
  readonly pageSize: number;
  /** How long a list shows the old flag after an update; drawn for each. */
  readonly lagMs: () => number;
  /** True: the service answers this update with 204 and ignores it. */
  readonly isForgotten: () => boolean;
  /** Its own unless given. */
  readonly accounts?: SimAccounts;
}

const apiVersion = '2022-08-01-preview';

export class SimAlertsService implements SimHost {
  readonly calls: ServiceCall[] = [];
  readonly accounts: SimAccounts;
  /** Called after the response to every request. */
  readonly onCall: ((call: ServiceCall) => void)[] = [];
  /** Called when another client sets a flag. */
  readonly onTurned: ((scope: string, alert: string) => void)[] = [];
  readonly #options: SimServiceOptions;
  readonly #scopes = new Map<string, SimAlert[]>();
  readonly #gone = new Set<string>();

  constructor(options: SimServiceOptions) {
    this.#options = options;
    this.accounts = options.accounts ?? new SimAccounts();
  }

  get origin(): string {
    return this.#options.origin;
  }

  /** Number of pages of a list of the scope; 1 for an unknown scope. */
  pagesOf(scope: string): number {
    return Math.max(1, Math.ceil((this.alertsOf(scope)?.length ?? 0) / this.#options.pageSize));
  }

  /** Bearer tokens that always work: token → who. */
  get staticTokens(): Map<string, string> {
    return this.accounts.staticTokens;
  }

  /** Of the token endpoint: id → secret. */
  get clients(): Map<string, string> {
    return this.accounts.clients;
  }

  addScope(scope: string, alerts: readonly SimAlert[] = []): void {
    this.#scopes.set(scope.toLowerCase(), [...alerts]);
    this.#gone.delete(scope.toLowerCase());
  }

  scopes(): string[] {
    return [...this.#scopes.keys()];
  }

  /** The real state; undefined for an unknown scope. */
  alertsOf(scope: string): readonly SimAlert[] | undefined {
    return this.#scopes.get(scope.toLowerCase());
  }

  find(scope: string, name: string): SimAlert | undefined {
    return this.alertsOf(scope)?.find((alert) => sameText(alert.name, name));
  }

  removeScope(scope: string): void {
    this.#scopes.delete(scope.toLowerCase());
    this.#gone.add(scope.toLowerCase());
  }

  /** The scope existed, and does not any more. */
  isGone(scope: string): boolean {
    return this.#gone.has(scope.toLowerCase());
  }

  removeAlert(scope: string, name: string): void {
    const left = this.alertsOf(scope)?.filter((alert) => !sameText(alert.name, name)) ?? [];
    this.#scopes.set(scope.toLowerCase(), left);
    // One that comes back under its name is another one.
    for (const notify of this.onTurned) notify(scope, name);
  }

  addAlert(scope: string, alert: SimAlert): void {
    this.#scopes.get(scope.toLowerCase())?.push(alert);
  }

  /** As another client does it, visible to all at once. */
  turn(scope: string, name: string, isActive: boolean, byType: string): void {
    const alert = this.find(scope, name);
    if (!alert) return;
    alert.isActive = isActive;
    alert.shownActive = isActive;
    alert.shownFromMs = 0;
    alert.modified = { atMs: this.#wallMs(), byType };
    for (const notify of this.onTurned) notify(scope, name);
  }

  /** As the scanner does it. */
  scan(scope: string, name: string, incidents: readonly SimIncident[], isActive?: boolean): void {
    const alert = this.find(scope, name);
    if (!alert) return;
    alert.incidents = incidents;
    alert.hiddenIncidents = 0;
    alert.scannedAtMs = this.#wallMs();
    alert.changedAtMs = this.#wallMs();
    if (isActive === undefined) return;
    alert.isActive = isActive;
    alert.shownActive = isActive;
    alert.shownFromMs = 0;
    for (const notify of this.onTurned) notify(scope, name);
  }

  /** Revokes every issued token. */
  expireTokens(): void {
    this.accounts.expireTokens();
  }

  handle(request: SimRequest): SimAnswer {
    const [path = '', query = ''] = request.path.split('?', 2);
    if (path === '/token') return this.#token(request);
    const route = /^\/(.+)\/providers\/Vendor\.Authorization\/roleManagementAlerts(?:\/([^/]+))?$/i.exec(path);
    const scope = decodeURIComponent(route?.[1] ?? '');
    const alert = decodeURIComponent(route?.[2] ?? '');
    const caller = this.accounts.callerOf(request.headers, this.#options.time.nowMs);
    const kind = route === null ? 'unknown' : alert === '' ? 'list' : 'patch';
    const isActive = kind === 'patch' ? flagOf(request.body) : undefined;
    const { answer, ...facts } = this.#answer(
      request,
      { kind, scope, alert, isActive, caller },
      new URLSearchParams(query),
    );
    this.#note(request, { caller, kind, scope, alert, isActive, status: answer.status, ...facts });
    return answer;
  }

  #answer(
    request: SimRequest,
    call: Pick<ServiceCall, 'kind' | 'scope' | 'alert' | 'isActive' | 'caller'>,
    query: URLSearchParams,
  ): { answer: SimAnswer } & Pick<ServiceCall, 'wasActive' | 'page' | 'shown' | 'isLastPage'> {
    if (call.kind === 'unknown') return { answer: error(404, 'RouteNotFound') };
    if (call.caller === undefined) return { answer: error(401, 'InvalidToken') };
    if (query.get('api-version') !== apiVersion) return { answer: error(400, 'UnsupportedApiVersion') };
    if (!this.alertsOf(call.scope)) return { answer: error(404, 'ScopeNotFound') };
    if (call.kind === 'list' && request.method === 'GET') return this.#list(call.scope, query);
    if (call.kind === 'patch' && this.accounts.readers.has(call.caller)) return { answer: error(403, 'ReadOnly') };
    if (call.kind === 'patch' && request.method === 'PATCH') return this.#patch(call);
    return { answer: error(405, 'MethodNotAllowed') };
  }

  #list(
    scope: string,
    query: URLSearchParams,
  ): { answer: SimAnswer } & Pick<ServiceCall, 'page' | 'shown' | 'isLastPage'> {
    const { origin, pageSize } = this.#options;
    const alerts = this.alertsOf(scope) ?? [];
    const page = Number(query.get('skipToken') ?? 0);
    const own = alerts.slice(page * pageSize, (page + 1) * pageSize);
    const value = own.map((alert) => alertDocument(scope, alert, this.#shown(alert)));
    const shown = own.map((alert) => this.#shownAlert(alert));
    const isLast = alerts.length <= (page + 1) * pageSize;
    const path = `/${scope}/providers/Vendor.Authorization/roleManagementAlerts`;
    const nextLink = `${origin}${path}?api-version=${apiVersion}&skipToken=${page + 1}`;
    return {
      answer: { status: 200, body: JSON.stringify({ value, ...(!isLast && { nextLink }) }) },
      page,
      shown,
      isLastPage: isLast,
    };
  }

  #patch({ scope, alert: name, isActive, caller }: Pick<ServiceCall, 'scope' | 'alert' | 'isActive' | 'caller'>): {
    answer: SimAnswer;
    wasActive?: boolean;
  } {
    const alert = this.find(scope, name);
    if (!alert) return { answer: error(404, 'AlertNotFound') };
    if (isActive === undefined) return { answer: error(400, 'InvalidBody') };
    const wasActive = alert.isActive;
    const answer = { status: 204, body: '' };
    if (this.#options.isForgotten()) return { answer, wasActive };
    if (alert.isActive !== isActive) {
      alert.shownActive = this.#shown(alert);
      alert.shownFromMs = this.#options.time.nowMs + this.#options.lagMs();
      alert.isActive = isActive;
      alert.modified = { atMs: this.#wallMs(), byType: caller?.startsWith('client') ? 'Application' : 'Key' };
    }
    return { answer, wasActive };
  }

  /** The state that a list shows now. */
  #shown(alert: SimAlert): boolean {
    return this.#options.time.nowMs >= alert.shownFromMs ? alert.isActive : alert.shownActive;
  }

  #shownAlert(alert: SimAlert): ShownAlert {
    const { name, severity, incidents, hiddenIncidents } = alert;
    const ids = incidents.map(({ id }) => id.toLowerCase());
    const incidentCount = ids.length + hiddenIncidents;
    return { name, severity, isActive: this.#shown(alert), incidents: ids, incidentCount };
  }

  #token(request: SimRequest): SimAnswer {
    const { headers, body } = request;
    const issued = this.accounts.issue(headers, body, this.#options.time.nowMs);
    const common = { kind: 'token', scope: '', alert: '', isActive: undefined } as const;
    this.#note(request, { ...common, caller: issued?.client, status: issued ? 200 : 401 });
    if (!issued) return { status: 401, body: JSON.stringify({ error: 'invalid_client' }) };
    return { status: 200, body: JSON.stringify(issued.answer) };
  }

  #note(request: SimRequest, facts: Omit<ServiceCall, 'atMs' | 'sentAtMs' | 'process' | 'origin' | 'path'>): void {
    const { atMs, sentAtMs, process, path } = request;
    const call = { atMs, sentAtMs, process, origin: this.origin, path, ...facts };
    this.calls.push(call);
    for (const notify of this.onCall) notify(call);
  }

  #wallMs(): number {
    return startOfTimeMs + this.#options.time.nowMs;
  }
}

/** Section 4.2: exactly this body. */
function flagOf(body: string): boolean | undefined {
  if (body === '{"properties":{"isActive":true}}') return true;
  return body === '{"properties":{"isActive":false}}' ? false : undefined;
}

function error(status: number, code: string): SimAnswer {
  return { status, body: JSON.stringify({ error: { code, message: `${code}: what the service itself says` } }) };
}
