// The specification, row by row and sentence by sentence: the title of each test begins with the number of its section. The alerts are those
// that the service itself makes when it scans, so nothing is read back that a test has put there. The other service tests cover the details.
import { describe, expect, test } from 'vitest';

import { scannerWith } from '../../src/service/scanner/scanner.ts';
import { assignment, HandSource, noOwnersAllowed, owner, role, scopeFacts } from '../support/builders/assignments.ts';
import { clientsWith, fragmentOf, portalURI, publicURL, sendForm, user, users } from '../support/rigs/oauth-rig.ts';
import { alertA, describeService, json, listOne, turnOff } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  errorOf,
  handClock,
  jsonOf,
  listOf,
  listPath,
  type ServiceUnderTest,
} from '../support/servers/alerts-service.ts';

const scope = 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590';
const permanent = 'TooManyPermanentOwnersAssignedToResource';
const owners = 'TooManyOwnersAssignedToResource';
const outside = 'RolesAssignedOutsidePrivilegedAccess';
const duplicate = 'DuplicateRoleCreated';

const dan = { id: 'dan', name: 'Dan Example', userPrincipalName: 'dan@example.net' };
const cyd = { id: 'cyd', type: 'User', name: 'Cyd Example', userPrincipalName: 'cyd@example.net' };

/** One finding of each kind. */
const facts = scopeFacts(
  scope,
  [
    owner('ada', { assignee: { id: 'ada', type: 'User', name: 'Ada Example' } }),
    assignment('outside', 'cyd', {
      assignee: cyd,
      role: { id: '/roles/reader', name: 'Reader', templateId: 'template' },
      isOutside: true,
      activatedAt: '2022-01-10T00:00:00Z',
      requestor: dan,
    }),
  ],
  [role('Owner', ['*'], { createdAtMs: 1 }), role('Owner copy', ['*'], { createdAtMs: 2 })],
);
const commonFields = ['id', 'name', 'systemData', 'type'];
const commonConfiguration = ['alertConfigurationType', 'alertDefinition', 'alertDefinitionId', 'isEnabled', 'scope'];

const isText = (value: unknown) => typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isInt32 = (value: unknown) => Number.isInteger(value) && (Number(value) | 0) === value;
const isList = Array.isArray;
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !isList(value);
const isDate = (value: unknown) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) &&
  !Number.isNaN(Date.parse(value));
const is = (expected: unknown) => (value: unknown) => value === expected;
const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value);

type Check = (value: unknown) => boolean;

/** Has these members and no others. */
const hasOnly =
  (...names: readonly string[]): Check =>
  (value) =>
    isObject(value) &&
    Object.keys(value as object)
      .toSorted()
      .join() === names.toSorted().join();
const all =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.every((check) => check(value));
const member =
  (path: string, check: Check): Check =>
  (value) =>
    check(at(value, path));

/** The value at a path such as `properties.alertIncidents.0.name`. */
function at(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path === '' ? [] : path.split('.')) found = (found as Record<string, unknown> | undefined)?.[name];
  return found;
}

const configuration = 'properties.alertConfiguration';
const definition = 'properties.alertDefinition';
const incident = 'properties.alertIncidents.0';
const resource = `/${scope}/providers/Vendor.Authorization`;
const incidents = (name: string) => `${resource}/roleManagementAlerts/${name}/alertIncidents`;

type Row = readonly [name: string, alert: string, path: string, isRight: (value: unknown) => boolean];

const rows: readonly Row[] = [
  ['1 kind TooManyPermanentOwnersAssignedToResource', permanent, 'name', is(permanent)],
  ['1 kind TooManyOwnersAssignedToResource', owners, 'name', is(owners)],
  ['1 kind for roles assigned outside', outside, 'name', is(outside)],
  ['1 kind for duplicate roles', duplicate, 'name', is(duplicate)],
  ['1 bound to a configuration', outside, `${configuration}.name`, is(outside)],
  ['1 bound to a definition', outside, `${definition}.name`, is(outside)],
  ['1 bound to its incidents', outside, 'properties.alertIncidents', (value) => isList(value) && value.length === 1],
  ['2.1 id', permanent, 'id', isText],
  ['2.1 name', permanent, 'name', isText],
  ['2.1 type', permanent, 'type', isText],
  ['2.1 systemData', permanent, 'systemData', isObject],
  ['2 common fields of an alert', duplicate, '', hasOnly('properties', ...commonFields)],
  ['2 common fields of a configuration', duplicate, configuration, hasOnly('properties', ...commonFields)],
  ['2 common fields of a definition', duplicate, definition, hasOnly('id', 'name', 'properties', 'type')],
  ['2 common fields of an incident', duplicate, incident, hasOnly('id', 'name', 'properties', 'type')],
  ['2.2 type', permanent, 'type', is('Vendor.Authorization/roleManagementAlerts')],
  ['2.2 id', owners, 'id', is(`${resource}/roleManagementAlerts/${owners}`)],
  ['2.2 name', owners, 'name', is(owners)],
  ['2.2 alertConfiguration', duplicate, configuration, isObject],
  ['2.2 alertDefinition', duplicate, definition, isObject],
  ['2.2 alertIncidents', duplicate, 'properties.alertIncidents', isList],
  ['2.2 incidentCount', duplicate, 'properties.incidentCount', (value) => isInt32(value) && value === 1],
  ['2.2 isActive', duplicate, 'properties.isActive', is(true)],
  ['2.2 lastModifiedDateTime', duplicate, 'properties.lastModifiedDateTime', isDate],
  ['2.2 lastScannedDateTime', duplicate, 'properties.lastScannedDateTime', isDate],
  ['2.2 scope', duplicate, 'properties.scope', is(scope)],
  ['2.3 type', permanent, `${configuration}.type`, is('Vendor.Authorization/roleManagementAlertConfigurations')],
  ['2.3 id', permanent, `${configuration}.id`, is(`${resource}/roleManagementAlertConfigurations/${permanent}`)],
  [
    '2.3 alertConfigurationType',
    owners,
    `${configuration}.properties.alertConfigurationType`,
    is(`${owners}AlertConfiguration`),
  ],
  [
    '2.3 alertDefinition',
    permanent,
    `${configuration}.properties.alertDefinition.id`,
    is(`${resource}/roleManagementAlertDefinitions/${permanent}`),
  ],
  ['2.3 alertDefinitionId', permanent, `${configuration}.properties.alertDefinitionId`, is(permanent)],
  ['2.3 isEnabled', permanent, `${configuration}.properties.isEnabled`, is(true)],
  ['2.3 scope', permanent, `${configuration}.properties.scope`, is(scope)],
  [
    '2.3 too many permanent owners',
    permanent,
    `${configuration}.properties`,
    all(
      member('alertConfigurationType', is(`${permanent}AlertConfiguration`)),
      member('thresholdNumberOfPermanentOwners', isInt32),
      member('thresholdPercentageOfPermanentOwnersOutOfAllOwners', isInt32),
      hasOnly(
        ...commonConfiguration,
        'thresholdNumberOfPermanentOwners',
        'thresholdPercentageOfPermanentOwnersOutOfAllOwners',
      ),
    ),
  ],
  [
    '2.3 too many owners',
    owners,
    `${configuration}.properties`,
    all(
      member('alertConfigurationType', is(`${owners}AlertConfiguration`)),
      member('thresholdNumberOfOwners', isInt32),
      member('thresholdPercentageOfOwnersOutOfAllRoleMembers', isInt32),
      hasOnly(...commonConfiguration, 'thresholdNumberOfOwners', 'thresholdPercentageOfOwnersOutOfAllRoleMembers'),
    ),
  ],
  [
    '2.3 roles assigned outside',
    outside,
    `${configuration}.properties`,
    all(member('alertConfigurationType', is(`${outside}AlertConfiguration`)), hasOnly(...commonConfiguration)),
  ],
  [
    '2.3 duplicate role',
    duplicate,
    `${configuration}.properties`,
    all(member('alertConfigurationType', is(`${duplicate}AlertConfiguration`)), hasOnly(...commonConfiguration)),
  ],
  ['2.4 type', permanent, `${definition}.type`, is('Vendor.Authorization/roleManagementAlertDefinitions')],
  ['2.4 id', permanent, `${definition}.id`, is(`${resource}/roleManagementAlertDefinitions/${permanent}`)],
  ['2.4 description', permanent, `${definition}.properties.description`, isText],
  ['2.4 displayName', permanent, `${definition}.properties.displayName`, isText],
  ['2.4 howToPrevent', permanent, `${definition}.properties.howToPrevent`, isText],
  ['2.4 isConfigurable', permanent, `${definition}.properties.isConfigurable`, isFlag],
  ['2.4 isRemediatable', permanent, `${definition}.properties.isRemediatable`, isFlag],
  ['2.4 mitigationSteps', permanent, `${definition}.properties.mitigationSteps`, isText],
  ['2.4 scope', permanent, `${definition}.properties.scope`, is(scope)],
  ['2.4 securityImpact', permanent, `${definition}.properties.securityImpact`, isText],
  ['2.4 severityLevel', permanent, `${definition}.properties.severityLevel`, isOneOf('Low', 'Medium', 'High')],
  [
    '2.5 id',
    permanent,
    incident,
    (value) => at(value, 'id') === `${incidents(permanent)}/${String(at(value, 'name'))}`,
  ],
  ['2.5 name', permanent, `${incident}.name`, isText],
  ['2.5 type', permanent, `${incident}.type`, is('Vendor.Authorization/roleManagementAlerts/alertIncidents')],
  ['2.5 alertIncidentType', owners, `${incident}.properties.alertIncidentType`, is(`${owners}AlertIncident`)],
  [
    '2.5 too many permanent owners',
    permanent,
    `${incident}.properties`,
    all(
      member('alertIncidentType', is(`${permanent}AlertIncident`)),
      member('assigneeName', is('Ada Example')),
      hasOnly('alertIncidentType', 'assigneeName', 'assigneeType'),
    ),
  ],
  [
    '2.5 too many owners',
    owners,
    `${incident}.properties`,
    all(
      member('alertIncidentType', is(`${owners}AlertIncident`)),
      member('assigneeName', is('Ada Example')),
      hasOnly('alertIncidentType', 'assigneeName', 'assigneeType'),
    ),
  ],
  [
    '2.5 roles assigned outside',
    outside,
    `${incident}.properties`,
    all(
      member('alertIncidentType', is(`${outside}AlertIncident`)),
      member('assigneeDisplayName', is(cyd.name)),
      member('assigneeId', is(cyd.id)),
      member('assigneeUserPrincipalName', is(cyd.userPrincipalName)),
      member('assignmentActivatedDate', isDate),
      member('requestorDisplayName', is(dan.name)),
      member('requestorId', is(dan.id)),
      member('requestorUserPrincipalName', is(dan.userPrincipalName)),
      member('roleDefinitionId', is('/roles/reader')),
      member('roleDisplayName', is('Reader')),
      member('roleTemplateId', is('template')),
      (value) => Object.keys(value as object).length === 11,
    ),
  ],
  [
    '2.5 duplicate role',
    duplicate,
    `${incident}.properties`,
    all(
      member('alertIncidentType', is(`${duplicate}AlertIncident`)),
      member('roleName', is('Owner copy')),
      member('reason', isText),
      member('duplicateRoles', is('Owner, Owner copy')),
      hasOnly('alertIncidentType', 'duplicateRoles', 'reason', 'roleName'),
    ),
  ],
  ['2.5 assigneeType', permanent, `${incident}.properties.assigneeType`, is('User')],
  ['2.7 createdAt', permanent, 'systemData.createdAt', isDate],
  ['2.7 createdBy', permanent, 'systemData.createdBy', is('scanner')],
  ['2.7 createdByType', permanent, 'systemData.createdByType', is('Application')],
  ['2.7 lastModifiedAt', permanent, 'systemData.lastModifiedAt', isDate],
  ['2.7 lastModifiedBy', permanent, 'systemData.lastModifiedBy', is('scanner')],
  ['2.7 lastModifiedByType', permanent, 'systemData.lastModifiedByType', is('Application')],
];

const listTarget = `/${scope}${listPath}?${apiVersion}`;
const alertTarget = (name: string) => `/${scope}${listPath}/${name}?${apiVersion}`;
const activate = (isActive: unknown) => JSON.stringify({ properties: { isActive } });
const anonymous = { authorization: '' };

async function alertOf(service: ServiceUnderTest, name: string): Promise<unknown> {
  return listOf(await service.send({ target: listTarget })).value.find((alert) => alert.name === name);
}

const patch = (service: ServiceUnderTest, name: string, body: string) =>
  service.send({ method: 'PATCH', target: alertTarget(name), headers: json, body });

describeService((started) => {
  /** A service that found one thing of each kind. */
  const start = async (options: Parameters<typeof started>[0] = {}) => {
    const scanner = scannerWith({
      source: new HandSource([facts]),
      thresholds: noOwnersAllowed,
      intervalMs: 3_600_000,
    });
    const service = await started({ seed: { scopes: {} }, scanner, ...options });
    expect(await service.scanner?.scanNow()).toMatchObject({ scopes: 1, disabled: 0 });
    return service;
  };

  describe('sections 1 and 2: what a list shows', () => {
    test.each(rows)('%s', async (_, name, path, isRight) => {
      const value = at(await alertOf(await start(), name), path);
      expect(isRight(value), `${path} is ${JSON.stringify(value)}`).toBe(true);
    });

    test('2 all JSON', async () => {
      const received = await (await start()).send({ target: listTarget });
      expect(received.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(jsonOf(received)).toEqual({ value: expect.any(Array) });
    });

    test('1 zero incidents', async () => {
      const source = new HandSource([scopeFacts(scope, [])]);
      const service = await started({
        scanner: scannerWith({ source, thresholds: noOwnersAllowed, intervalMs: 3_600_000 }),
      });
      await service.scanner?.scanNow();
      const alert = await alertOf(service, permanent);
      expect(at(alert, 'properties.alertIncidents')).toEqual([]);
      expect(at(alert, 'properties.incidentCount')).toBe(0);
    });

    test('2.2 isActive is false by default', async () => {
      const service = await started({ seed: { scopes: { s: { value: [{ name: 'New' }] } } } });
      const target = `/s${listPath}?${apiVersion}`;
      expect(listOf(await service.send({ target })).value[0]?.properties['isActive']).toBe(false);
    });

    test('2.6 value', async () => {
      const list = jsonOf(await (await start()).send({ target: listTarget }));
      expect(at(list, 'value')).toHaveLength(4);
    });

    test('2.6 nextLink', async () => {
      const service = await start({ pageSize: 3 });
      const { nextLink = '' } = listOf(await service.send({ target: listTarget }));
      expect(URL.canParse(nextLink)).toBe(true);
      const last = listOf(await service.send({ target: nextLink.slice(service.origin.length) }));
      expect([last.value.length, 'nextLink' in last]).toEqual([1, false]);
    });
  });

  describe('section 1: what there is not', () => {
    test('1 no operation creates an alert', async () => {
      const service = await start();
      const body = JSON.stringify({ name: 'New', properties: { isActive: true } });
      for (const method of ['PUT', 'POST']) {
        const sent = { method, target: alertTarget('New'), headers: json, body };
        expect(errorOf(await service.send(sent))).toBe('405 MethodNotAllowed');
      }
      expect(errorOf(await patch(service, 'New', activate(true)))).toBe('404 AlertNotFound');
      expect(listOf(await service.send({ target: listTarget })).value).toHaveLength(4);
    });

    test('1 no operation deletes an alert', async () => {
      const service = await start();
      const received = await service.send({ method: 'DELETE', target: alertTarget(owners) });
      expect(errorOf(received)).toBe('405 MethodNotAllowed');
      expect(await alertOf(service, owners)).toBeDefined();
    });

    test('1 no operation edits a configuration or a definition', async () => {
      const service = await start();
      const before = await alertOf(service, permanent);
      const bodies = [
        { properties: { isActive: true, alertConfiguration: { properties: { isEnabled: false } } } },
        { properties: { isActive: true, alertDefinition: { properties: { severityLevel: 'Low' } } } },
      ];
      for (const body of bodies) {
        expect(errorOf(await patch(service, permanent, JSON.stringify(body)))).toBe('400 InvalidBody');
      }
      for (const type of ['roleManagementAlertConfigurations', 'roleManagementAlertDefinitions']) {
        const target = `${resource}/${type}/${permanent}?${apiVersion}`;
        const received = await service.send({ method: 'PATCH', target, headers: json, body: activate(true) });
        expect(errorOf(received)).toBe('404 RouteNotFound');
      }
      expect(await alertOf(service, permanent)).toEqual(before);
    });
  });

  describe('section 3: transitions', () => {
    test.each([
      ['3 true to false', false],
      ['3 false to true', true],
    ])('%s', async (_, wanted) => {
      const name = duplicate;
      const service = await start();
      await service.alerts.setActive(scope, name, !wanted, { by: 'person', byType: 'User' });
      const received = await patch(service, name, activate(wanted));
      expect([received.status, received.text]).toEqual([204, '']);
      expect(at(await alertOf(service, name), 'properties.isActive')).toBe(wanted);
    });

    test('3 nothing else changes with the flag', async () => {
      const service = await start();
      const { systemData: _, ...before } = (await alertOf(service, owners)) as {
        systemData: object;
        properties: object;
      };
      await patch(service, owners, activate(false));
      const { systemData: __, ...after } = (await alertOf(service, owners)) as typeof before & { systemData: object };
      expect(after).toEqual({ ...before, properties: { ...before.properties, isActive: false } });
    });
  });

  describe('section 4.1: list', () => {
    test('4.1 method and path', async () => {
      expect((await (await start()).send({ method: 'GET', target: listTarget })).status).toBe(200);
    });

    test('4.1 scope', async () => {
      const service = await started();
      const encoded = `/${encodeURIComponent('subscriptions/one')}${listPath}?${apiVersion}`;
      expect((await service.send({ target: encoded })).text).toBe((await service.send({ target: listOne })).text);
      expect(errorOf(await service.send({ target: `${listPath}?${apiVersion}` }))).toBe('400 InvalidPath');
    });

    test('4.1 api-version', async () => {
      const service = await started();
      const target = `/subscriptions/one${listPath}`;
      expect(errorOf(await service.send({ target }))).toBe('400 MissingApiVersion');
      expect(errorOf(await service.send({ target: `${target}?api-version=` }))).toBe('400 MissingApiVersion');
    });

    test('4.1 request body none', async () => {
      const service = await started();
      const plain = await service.send({ target: listOne });
      const body = JSON.stringify({ properties: { isActive: false } });
      const withBody = await service.send({ target: listOne, headers: json, body });
      expect([withBody.status, withBody.text]).toEqual([200, plain.text]);
      expect(await service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({
        properties: { isActive: true },
      });
    });

    test('4.1 response 200', async () => {
      const { value } = listOf(await (await start()).send({ target: listTarget }));
      for (const alert of value) {
        expect(Object.keys(alert.properties)).toEqual(
          expect.arrayContaining([
            'alertConfiguration',
            'alertDefinition',
            'alertIncidents',
            'incidentCount',
            'isActive',
            'lastModifiedDateTime',
            'lastScannedDateTime',
            'scope',
          ]),
        );
      }
    });

    test('4.1 any other status', async () => {
      const received = await (await start()).send({ target: `/subscriptions/none${listPath}?${apiVersion}` });
      expect(errorOf(received)).toBe('404 ScopeNotFound');
    });
  });

  describe('section 4.2: update', () => {
    test('4.2 method and path', async () => {
      expect((await patch(await start(), owners, activate(false))).status).toBe(204);
    });

    test('4.2 scope', async () => {
      const service = await started();
      const target = `/${encodeURIComponent('subscriptions/one')}${listPath}/A?${apiVersion}`;
      expect((await service.send({ ...turnOff, target })).status).toBe(204);
      expect(await service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({
        properties: { isActive: false },
      });
    });

    test('4.2 alertId', async () => {
      const service = await started();
      expect((await service.send(turnOff)).status).toBe(204);
      const two = alertA.replace('/A?', '/A/B?');
      expect(errorOf(await service.send({ ...turnOff, target: two }))).toBe('404 RouteNotFound');
      const encoded = alertA.replace('/A?', '/A%2FB?');
      expect(errorOf(await service.send({ ...turnOff, target: encoded }))).toBe('400 InvalidPath');
    });

    test('4.2 api-version', async () => {
      const target = alertA.split('?')[0] ?? '';
      const service = await started();
      expect(errorOf(await service.send({ ...turnOff, target }))).toBe('400 MissingApiVersion');
      expect(errorOf(await service.send({ ...turnOff, target: `${target}?api-version=` }))).toBe(
        '400 MissingApiVersion',
      );
    });

    test('4.2 request body', async () => {
      const service = await start();
      for (const body of ['', '{}', '{"properties":{}}', activate('true'), activate(1), activate(null), '[]']) {
        expect(errorOf(await patch(service, owners, body))).toMatch(/^400 (InvalidBody|MalformedJson)$/);
      }
    });

    test('4.2 only this field', async () => {
      const service = await start();
      for (const body of ['{"name":"x","properties":{"isActive":false}}', '{"properties":{"isActive":false,"x":1}}']) {
        expect(errorOf(await patch(service, owners, body))).toBe('400 InvalidBody');
      }
      expect(at(await alertOf(service, owners), 'properties.isActive')).toBe(true);
    });

    test('4.2 response 204', async () => {
      const received = await patch(await start(), owners, activate(false));
      expect([received.status, received.text, received.headers['content-type']]).toEqual([204, '', undefined]);
    });

    test('4.2 any other status', async () => {
      expect(errorOf(await patch(await start(), 'None', activate(false)))).toBe('404 AlertNotFound');
    });
  });

  describe('section 5: authentication', () => {
    const asked = { response_type: 'token', client_id: 'portal', redirect_uri: portalURI, scope: 'user_impersonation' };
    const form = { ...asked, username: user.name, password: user.password, decision: 'allow' };
    const withPeople = () => started({ publicURL, clients: clientsWith(), users });

    test('5 OAuth 2.0, implicit flow', async () => {
      const answer = fragmentOf(await sendForm(await withPeople(), form));
      expect(answer).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer' });
    });

    test('5 applied to both operations', async () => {
      const service = await withPeople();
      expect(errorOf(await service.send({ target: listOne, headers: anonymous }))).toBe('401 AuthenticationRequired');
      const headers = { ...json, ...anonymous };
      expect(errorOf(await service.send({ ...turnOff, headers }))).toBe('401 AuthenticationRequired');
      const { access_token: token } = fragmentOf(await sendForm(service, form));
      const authorization = `Bearer ${token}`;
      expect((await service.send({ target: listOne, headers: { authorization } })).status).toBe(200);
      expect((await service.send({ ...turnOff, headers: { ...json, authorization } })).status).toBe(204);
    });

    test('5 authorization URL', async () => {
      const target = `/common/oauth2/authorize?${new URLSearchParams(asked).toString()}`;
      expect((await (await withPeople()).send({ target, headers: anonymous })).status).toBe(200);
    });

    test('5 scope user_impersonation', async () => {
      const service = await withPeople();
      const { access_token: token, scope: granted } = fragmentOf(await sendForm(service, form));
      expect(granted).toBe('user_impersonation');
      await service.send({ ...turnOff, headers: { ...json, authorization: `Bearer ${token}` } });
      expect((await service.alerts.readAlert('subscriptions/one', 'A'))?.['systemData']).toMatchObject({
        lastModifiedBy: user.name,
      });
    });

    test('5 cloud_auth', async () => {
      const description = jsonOf(await (await withPeople()).send({ target: '/openapi.json', headers: anonymous }));
      expect(at(description, 'components.securitySchemes.cloud_auth.type')).toBe('oauth2');
    });
  });

  describe('sections 7 and 9', () => {
    test('7 an error body with every other status', async () => {
      const service = await start();
      for (const [sent, expected] of [
        [{ target: '/' }, '404 RouteNotFound'],
        [{ target: listTarget, headers: anonymous }, '401 AuthenticationRequired'],
        [{ method: 'DELETE', target: listTarget }, '405 MethodNotAllowed'],
        [{ target: listTarget.replace(apiVersion, 'api-version=1') }, '400 UnsupportedApiVersion'],
      ] as const) {
        expect(errorOf(await service.send(sent))).toBe(expected);
      }
    });

    test('2.8 error.code', async () => {
      const service = await start();
      const codes = [];
      for (const target of ['/a', '/b']) codes.push(at(jsonOf(await service.send({ target })), 'error.code'));
      expect(codes).toEqual(['RouteNotFound', 'RouteNotFound']);
    });

    test('2.8 error.message', async () => {
      const message = at(jsonOf(await (await start()).send({ target: '/' })), 'error.message');
      expect(message).toMatch(/^[A-Z].*\.$/);
    });

    test('9 version string of both operations', async () => {
      const service = await started();
      const at2022 = (target: string) => target.replace(apiVersion, 'api-version=2022-08-01-preview');
      expect((await service.send({ target: at2022(listOne) })).status).toBe(200);
      expect((await service.send({ ...turnOff, target: at2022(alertA) })).status).toBe(204);
      for (const other of ['api-version=2022-08-01', 'api-version=2022-08-01-PREVIEW', 'api-version=latest']) {
        expect(errorOf(await service.send({ target: listOne.replace(apiVersion, other) }))).toBe(
          '400 UnsupportedApiVersion',
        );
      }
    });

    test('2.7 kept true by an update', async () => {
      const clock = handClock();
      const service = await start({ clock });
      await patch(service, permanent, activate(false));
      expect(at(await alertOf(service, permanent), 'systemData')).toMatchObject({
        createdBy: 'scanner',
        lastModifiedAt: new Date(clock.now()).toISOString(),
        lastModifiedBy: 'static-token',
        lastModifiedByType: 'Key',
      });
    });
  });
});
