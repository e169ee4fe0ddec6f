// The naming rules of Prometheus (prometheus.io/docs/practices/naming), for the metrics of the operator and of the alerts service.
import { expect, test } from 'vitest';

import { describeMetrics, describeOperatorMetrics, type MetricDescription } from '../../../../.config/metrics.ts';
import { createServiceMetrics } from '../../../../src/service/run/service-metrics.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const operator = describeOperatorMetrics();
const service = describeMetrics(createServiceMetrics(handClock()).registry);
const isOfProcess = ({ name }: MetricDescription) => /^(process|nodejs)_/.test(name);

const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** The prefixes of controller-runtime, client-go and prom-client, which dashboards know, and our own. */
const prefix = /^(rolealerts|controller_runtime|workqueue|rest_client|leader_election|process|nodejs)_/;
/** Seconds and bytes are the base units. */
const otherUnit = /(^|_)(ms|milliseconds|millis|minutes|hours|days|kilobytes|kib|mib|percent)(_|$)/;
const ofObject = /^rolealerts_(policy|connection|incidents|dismissal|actions|corrections)/;
/** Labels that Prometheus sets itself. */
const reserved = /^(le|quantile|job|instance|__.*)$/;

const rules: Readonly<Record<string, (metric: MetricDescription) => boolean>> = {
  'is in snake case': ({ name }) => snakeCase.test(name),
  'begins with a prefix that names its source': ({ name }) => prefix.test(name),
  'ends with _total exactly when it is a counter': ({ name, type }) => name.endsWith('_total') === (type === 'counter'),
  'has no suffix of the series of a histogram': ({ name }) => !/_(count|sum|bucket)$/.test(name),
  'is in a base unit': ({ name }) => !otherUnit.test(name),
  'ends with its unit': ({ name }) =>
    !/_(seconds|bytes|timestamp)/.test(name) || /_(timestamp_seconds|seconds|bytes)(_total)?$/.test(name),
  'has a unit when it is a histogram': ({ name, type }) => type !== 'histogram' || /_(seconds|bytes)$/.test(name),
  'does not name its type': ({ name }) => !/(^|_)(gauge|counter|histogram|summary)(_|$)/.test(name),
  'has labels in snake case': ({ labels }) => labels.every((label) => snakeCase.test(label)),
  'has no label that Prometheus sets': ({ labels }) => !labels.some((label) => reserved.test(label)),
  'has each label once': ({ labels }) => new Set(labels).size === labels.length,
  'has a help of sentences on one short line': ({ help }) => /^[A-Z0-9/][^\n|]{5,129}\.$/.test(help),
  'has an object exactly when it is of one': ({ name, labels }) => ofObject.test(name) === labels.includes('namespace'),
  'names its object by namespace and name, first': ({ labels }) =>
    !labels.includes('namespace') || (labels[0] === 'namespace' && labels[1] === 'name'),
};

test.each(Object.keys(rules))('every metric %s', (rule) => {
  const broken = [...operator, ...service].filter((metric) => rules[rule]?.(metric) === false);
  expect(broken.map(({ name }) => name)).toEqual([]);
});

test('no metric of the operator has the name of one of the alerts service', () => {
  const names = new Set(operator.map(({ name }) => name));
  const shared = service.filter((metric) => names.has(metric.name) && !isOfProcess(metric));
  expect(shared).toEqual([]);
});
