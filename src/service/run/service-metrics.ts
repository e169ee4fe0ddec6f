// The metrics of the alerts service. Labels are bounded: names of routes, statuses and kinds; no scopes and no callers.
// The names differ from the operator's metrics of the service as its client.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { type Clock, within } from '../../lib/clock.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { addProcessMetrics } from '../../lib/process-metrics.ts';
import type { AlertCounts } from '../alerts/alert-store.ts';
import type { ServiceObserver } from '../observer.ts';
import { AnswerCounts } from './answer-counts.ts';
import { WaitingDurations } from './waiting-durations.ts';

export interface ServiceMetrics {
  readonly registry: Registry;
  readonly observer: ServiceObserver;
  /** Counts the alerts at each scrape from now on, but at most once a minute, because the count visits every alert. */
  countAlertsBy(count: () => MaybePromise<AlertCounts>): void;
}

const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const countedEveryMs = 60_000;
/** A scrape does not wait longer for the count; the previous one then stays. */
const countingMs = 2000;

export function createServiceMetrics(clock: Clock, droppedLogLines?: () => number): ServiceMetrics {
  const registry = new Registry();
  addProcessMetrics(registry, droppedLogLines);
  return { registry, observer: createObserver([registry]), ...addAlertGauge(registry, clock) };
}

function createObserver(registers: Registry[]): ServiceObserver {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const answers = new AnswerCounts();
  addAnswers(registers, answers);
  const durations = addDurations(registers);
  let inFlight = 0;
  addInFlight(registers, () => inFlight);
  const limited = counter('rolealerts_service_rate_limited_total', 'Requests refused by the rate limit.');
  const faults = counter('rolealerts_service_faults_total', 'Requests with an injected fault, by fault.', ['fault']);
  const broken = counter(
    'rolealerts_service_broken_requests_total',
    'Malformed, timed-out or oversized requests, by status.',
    ['status'],
  );
  const tokens = counter('rolealerts_service_tokens_issued_total', 'Access tokens issued, by type of the subject.', [
    'subject_type',
  ]);
  const audit = new Gauge({
    name: 'rolealerts_service_audit_bytes',
    help: 'Size of the audit trail, measured every ten seconds.',
    registers,
  });
  const scans = counter('rolealerts_service_scans_total', 'Scans of role assignments, by result.', ['result']);
  return {
    requestBegan: () => void (inFlight += 1),
    requestEnded: () => void (inFlight -= 1),
    answered({ route, status, errorCode, fault, durationMs }) {
      answers.add(route, status);
      durations.add(route, durationMs / 1000);
      if (fault !== undefined) faults.inc({ fault });
      else if (errorCode === 'TooManyRequests') limited.inc();
    },
    clientErrorAnswered: (status) => broken.inc({ status }),
    tokenIssued: (subjectType) => tokens.inc({ subject_type: subjectType }),
    auditSwept: (bytes) => audit.set(bytes),
    scanEnded: (result) => scans.inc({ result }),
  };
}

function addAnswers(registers: Registry[], answers: AnswerCounts): Counter {
  return new Counter({
    name: 'rolealerts_service_answers_total',
    help: 'Responses, by route and status.',
    labelNames: ['route', 'status'],
    registers,
    collect() {
      this.reset();
      for (const { route, status, count } of answers.all()) this.inc({ route, status }, count);
    },
  });
}

function addDurations(registers: Registry[]): WaitingDurations {
  const durations = new WaitingDurations((route, seconds) => histogram.observe({ route }, seconds));
  const histogram = new Histogram({
    name: 'rolealerts_service_answer_duration_seconds',
    help: 'Time from the headers of a request until the response was ready.',
    labelNames: ['route'],
    buckets: secondsBuckets,
    registers,
    collect: () => durations.observeAll(),
  });
  return durations;
}

function addInFlight(registers: Registry[], read: () => number): Gauge {
  return new Gauge({
    name: 'rolealerts_service_requests_in_flight',
    help: 'Requests in flight.',
    registers,
    collect() {
      this.set(read());
    },
  });
}

function addAlertGauge(registry: Registry, clock: Clock): Pick<ServiceMetrics, 'countAlertsBy'> {
  let count: (() => MaybePromise<AlertCounts>) | undefined;
  let countedMs = 0;
  const gauge = new Gauge({
    name: 'rolealerts_service_alerts',
    help: 'Alerts by whether they are active, counted at most once a minute.',
    labelNames: ['active'],
    registers: [],
    async collect() {
      if (!count || (countedMs > 0 && clock.monotonic() - countedMs < countedEveryMs)) return;
      countedMs = clock.monotonic();
      // During an outage of the database all other metrics matter most.
      const counting = Promise.resolve().then(count);
      const counts = await within(clock, countingMs, counting).catch(() => 'failed' as const);
      if (typeof counts === 'string') return;
      this.set({ active: 'true' }, counts.active);
      this.set({ active: 'false' }, counts.inactive);
    },
  });
  registry.registerMetric(gauge);
  return { countAlertsBy: (by) => (count = by) };
}
