// The specification, row by row and sentence by sentence: the title of each test begins with the number of its section. The alerts are those
// that the service itself makes when it scans, so nothing is read back that a test has put there. The other service tests cover the details.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { ScopeFacts } from '../../src/service/scanner/assignments.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { assignment, HandSource, noOwnersAllowed, owner, role, scopeFacts } from '../support/builders/assignments.ts';
import { clientsWith, fragmentOf, portalURI, publicURL, sendForm, user, users } from '../support/rigs/oauth-rig.ts';
import {
  alertA,
  startService,
  json,
  listOne,
  sharedService,
  turnOff,
} from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  errorOf,
  handClock,
  jsonOf,
  listOf,
  listPath,
  startOverSocket,
  type Sent,
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
/** A date-time in UTC. */
const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) as string;
const [text, flag, object] = [expect.any(String), expect.any(Boolean), expect.any(Object)] as readonly unknown[];

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
const definitionID = `${resource}/roleManagementAlertDefinitions/${permanent}`;
const incidentID = new RegExp(`^${resource}/roleManagementAlerts/${permanent}/alertIncidents/[0-9a-f]{32}$`);

const withoutSystemData = { id: text, name: text, type: text, properties: object };
const common = { ...withoutSystemData, systemData: object };
const commonConfiguration = { alertDefinition: object, alertDefinitionId: text, isEnabled: flag, scope: text };

const definitionProperties = [
  `${definition}.properties`,
  {
    description: text,
    displayName: text,
    howToPrevent: text,
    isConfigurable: flag,
    isRemediatable: flag,
    mitigationSteps: text,
    scope,
    securityImpact: text,
    severityLevel: expect.stringMatching(/^(Low|Medium|High)$/),
  },
] as const;

/** Title, alert, path in the alert, and what is there: an object has these members and no others. */
const rows: readonly (readonly [string, string, string, unknown])[] = [
  ['1 kind TooManyPermanentOwnersAssignedToResource', permanent, 'name', permanent],
  ['1 kind TooManyOwnersAssignedToResource', owners, 'name', owners],
  ['1 kind for roles assigned outside', outside, 'name', outside],
  ['1 kind for duplicate roles', duplicate, 'name', duplicate],
  ['1 bound to a configuration', outside, `${configuration}.name`, outside],
  ['1 bound to a definition', outside, `${definition}.name`, outside],
  ['1 bound to its incidents', outside, 'properties.alertIncidents', [object]],
  ['2.1 common fields of an alert', duplicate, '', common],
  ['2.1 common fields of a configuration', duplicate, configuration, common],
  ['2.1 common fields of a definition', duplicate, definition, withoutSystemData],
  ['2.1 common fields of an incident', duplicate, incident, withoutSystemData],
  ['2.2 type', permanent, 'type', 'Vendor.Authorization/roleManagementAlerts'],
  ['2.2 id', owners, 'id', `${resource}/roleManagementAlerts/${owners}`],
  ['2.2 alertConfiguration', duplicate, configuration, object],
  ['2.2 alertDefinition', duplicate, definition, object],
  ['2.2 alertIncidents', duplicate, 'properties.alertIncidents', [object]],
  ['2.2 incidentCount', duplicate, 'properties.incidentCount', 1],
  ['2.2 isActive', duplicate, 'properties.isActive', true],
  ['2.2 lastModifiedDateTime', duplicate, 'properties.lastModifiedDateTime', date],
  ['2.2 lastScannedDateTime', duplicate, 'properties.lastScannedDateTime', date],
  ['2.2 scope', duplicate, 'properties.scope', scope],
  ['2.3 type', permanent, `${configuration}.type`, 'Vendor.Authorization/roleManagementAlertConfigurations'],
  ['2.3 id', permanent, `${configuration}.id`, `${resource}/roleManagementAlertConfigurations/${permanent}`],
  ['2.3 alertDefinition', permanent, `${configuration}.properties.alertDefinition.id`, definitionID],
  ['2.3 alertDefinitionId', permanent, `${configuration}.properties.alertDefinitionId`, permanent],
  ['2.3 isEnabled', permanent, `${configuration}.properties.isEnabled`, true],
  ['2.3 scope', permanent, `${configuration}.properties.scope`, scope],
  [
    '2.3 too many permanent owners',
    permanent,
    `${configuration}.properties`,
    {
      ...commonConfiguration,
      alertConfigurationType: `${permanent}AlertConfiguration`,
      thresholdNumberOfPermanentOwners: 1,
      thresholdPercentageOfPermanentOwnersOutOfAllOwners: 0,
    },
  ],
  [
    '2.3 too many owners',
    owners,
    `${configuration}.properties`,
    {
      ...commonConfiguration,
      alertConfigurationType: `${owners}AlertConfiguration`,
      thresholdNumberOfOwners: 1,
      thresholdPercentageOfOwnersOutOfAllRoleMembers: 0,
    },
  ],
  [
    '2.3 roles assigned outside',
    outside,
    `${configuration}.properties`,
    { ...commonConfiguration, alertConfigurationType: `${outside}AlertConfiguration` },
  ],
  [
    '2.3 duplicate role',
    duplicate,
    `${configuration}.properties`,
    { ...commonConfiguration, alertConfigurationType: `${duplicate}AlertConfiguration` },
  ],
  ['2.4 type', permanent, `${definition}.type`, 'Vendor.Authorization/roleManagementAlertDefinitions'],
  ['2.4 id', permanent, `${definition}.id`, definitionID],
  ...[permanent, owners, outside, duplicate].map(
    (kind) => [`2.4 properties of ${kind}`, kind, ...definitionProperties] as const,
  ),
  ['2.5 id', permanent, `${incident}.id`, expect.stringMatching(incidentID)],
  ['2.5 name', permanent, `${incident}.name`, expect.stringMatching(/^[0-9a-f]{32}$/)],
  ['2.5 type', permanent, `${incident}.type`, 'Vendor.Authorization/roleManagementAlerts/alertIncidents'],
  [
    '2.5 too many permanent owners',
    permanent,
    `${incident}.properties`,
    { alertIncidentType: `${permanent}AlertIncident`, assigneeName: 'Ada Example', assigneeType: 'User' },
  ],
  [
    '2.5 too many owners',
    owners,
    `${incident}.properties`,
    { alertIncidentType: `${owners}AlertIncident`, assigneeName: 'Ada Example', assigneeType: 'User' },
  ],
  [
    '2.5 roles assigned outside',
    outside,
    `${incident}.properties`,
    {
      alertIncidentType: `${outside}AlertIncident`,
      assigneeDisplayName: cyd.name,
      assigneeId: cyd.id,
      assigneeUserPrincipalName: cyd.userPrincipalName,
      assignmentActivatedDate: '2022-01-10T00:00:00Z',
      requestorDisplayName: dan.name,
      requestorId: dan.id,
      requestorUserPrincipalName: dan.userPrincipalName,
      roleDefinitionId: '/roles/reader',
      roleDisplayName: 'Reader',
      roleTemplateId: 'template',
    },
  ],
  [
    '2.5 duplicate role',
    duplicate,
    `${incident}.properties`,
    {
      alertIncidentType: `${duplicate}AlertIncident`,
      roleName: 'Owner copy',
      reason: 'It has the same permissions as Owner.',
      duplicateRoles: 'Owner, Owner copy',
    },
  ],
  [
    '2.7 systemData',
    permanent,
    'systemData',
    {
      createdAt: date,
      createdBy: 'scanner',
      createdByType: 'Application',
      lastModifiedAt: date,
      lastModifiedBy: 'scanner',
      lastModifiedByType: 'Application',
    },
  ],
];

const listTarget = `/${scope}${listPath}?${apiVersion}`;
const alertTarget = (name: string) => `/${scope}${listPath}/${name}?${apiVersion}`;
const activate = (isActive: unknown) => JSON.stringify({ properties: { isActive } });
const anonymous = { authorization: '' };

async function alertOf(service: ServiceUnderTest, name: string): Promise<unknown> {
  return listOf(await service.send({ target: listTarget })).value.find((alert) => alert.name === name);
}

/** The target of an alert of `subscriptions/one`. */
const alertWith = (alertID: string) => alertA.replace('/A?', `/${alertID}?`);
/** The path of a target. */
const pathOf = (target: string) => target.replace(/\?.*/, '');
/** A resource of another type. */
const ofType = (type: string) => alertWith('A').replace('roleManagementAlerts', `roleManagement${type}`);

/** A service that has scanned these facts. The caller stops it. */
async function startScanned(found: ScopeFacts, options: Partial<AlertsServiceOptions> = {}): Promise<ServiceUnderTest> {
  const source = new HandSource([found]);
  const scanner = scannerWith({ source, thresholds: noOwnersAllowed, intervalMs: 3_600_000 });
  const service = await startOverSocket({ scanner, ...options });
  expect(await service.scanner?.scanNow()).toMatchObject({ scopes: 1, disabled: 0 });
  return service;
}

describe('sections 1 and 2: what a list shows', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => void (service = await startScanned(facts)));
  afterAll(() => service.stop());

  test.each(rows)('%s', async (_, name, path, expected) => {
    expect(at(await alertOf(service, name), path)).toEqual(expected);
  });

  test('1 zero incidents', async () => {
    const empty = await startScanned(scopeFacts(scope, []));
    onTestFinished(() => empty.stop());
    expect(at(await alertOf(empty, permanent), 'properties')).toMatchObject({ alertIncidents: [], incidentCount: 0 });
  });

  test('2.2 isActive is false by default', async () => {
    const seeded = await startService({ seed: { scopes: { [scope]: { value: [{ name: owners }] } } } });
    expect(at(await alertOf(seeded, owners), 'properties.isActive')).toBe(false);
  });

  test('2.6 value and nextLink', async () => {
    const paged = await startScanned(facts, { pageSize: 3 });
    onTestFinished(() => paged.stop());
    const { value, nextLink = '' } = listOf(await paged.send({ target: listTarget }));
    expect([value.length, URL.canParse(nextLink)]).toEqual([3, true]);
    const last = listOf(await paged.send({ target: nextLink.slice(paged.origin.length) }));
    expect([last.value.length, 'nextLink' in last]).toEqual([1, false]);
  });

  test('2.7 kept true by an update, and 3 nothing else changes with the flag', async () => {
    const clock = handClock();
    const scanned = await startScanned(facts, { clock });
    onTestFinished(() => scanned.stop());
    const before = (await alertOf(scanned, owners)) as { readonly properties: object; readonly systemData: object };
    await scanned.send({ method: 'PATCH', target: alertTarget(owners), headers: json, body: activate(false) });
    const lastModifiedAt = new Date(clock.now()).toISOString();
    expect(await alertOf(scanned, owners)).toEqual({
      ...before,
      properties: { ...before.properties, isActive: false },
      systemData: { ...before.systemData, lastModifiedAt, lastModifiedBy: 'static-token', lastModifiedByType: 'Key' },
    });
  });
});

describe('what leaves every alert as it is', () => {
  const shared = sharedService();
  const encoded = listOne.replace('subscriptions/one', 'subscriptions%2Fone');
  const withBody = (body: string) => ({ ...turnOff, body });
  test.each<[string, Sent, string]>([
    [
      '1 no operation creates an alert',
      { ...turnOff, method: 'PUT', target: alertWith('New') },
      '405 MethodNotAllowed',
    ],
    [
      '1 no operation creates an alert by POST',
      { ...turnOff, method: 'POST', target: alertWith('New') },
      '405 MethodNotAllowed',
    ],
    ['1 no operation creates an alert by PATCH', { ...turnOff, target: alertWith('New') }, '404 AlertNotFound'],
    ['1 no operation deletes an alert', { method: 'DELETE', target: alertA }, '405 MethodNotAllowed'],
    [
      '1 no operation edits a configuration',
      { ...turnOff, target: ofType('AlertConfigurations') },
      '404 RouteNotFound',
    ],
    ['1 no operation edits a definition', { ...turnOff, target: ofType('AlertDefinitions') }, '404 RouteNotFound'],
    ['4.1 scope is required', { target: `${listPath}?${apiVersion}` }, '400 InvalidPath'],
    ['4.1 api-version is required', { target: pathOf(listOne) }, '400 MissingApiVersion'],
    [
      '4.1 api-version of one character at least',
      { target: `${pathOf(listOne)}?api-version=` },
      '400 MissingApiVersion',
    ],
    ['4.1 any other status', { target: listOne.replace('one', 'none') }, '404 ScopeNotFound'],
    ['4.2 alertId is one segment', { ...turnOff, target: alertWith('A/B') }, '404 RouteNotFound'],
    ['4.2 alertId is one segment, also encoded', { ...turnOff, target: alertWith('A%2FB') }, '400 InvalidPath'],
    ['4.2 api-version is required', { ...turnOff, target: pathOf(alertA) }, '400 MissingApiVersion'],
    [
      '4.2 api-version of one character at least',
      { ...turnOff, target: `${pathOf(alertA)}?api-version=` },
      '400 MissingApiVersion',
    ],
    ['4.2 request body', withBody(''), '400 MalformedJson'],
    ['4.2 isActive in the request body', withBody('{"properties":{}}'), '400 InvalidBody'],
    ['4.2 isActive is true or false', withBody(activate('false')), '400 InvalidBody'],
    ['4.2 no other member', withBody('{"name":"x","properties":{"isActive":false}}'), '400 InvalidBody'],
    ['4.2 no other property', withBody('{"properties":{"isActive":false,"severityLevel":"Low"}}'), '400 InvalidBody'],
    ['4.2 any other status', { ...turnOff, target: alertWith('None') }, '404 AlertNotFound'],
    ['5 applied to a list', { target: listOne, headers: anonymous }, '401 AuthenticationRequired'],
    ['5 applied to an update', { ...turnOff, headers: { ...json, ...anonymous } }, '401 AuthenticationRequired'],
    ['7 an error body of any other path', { target: '/' }, '404 RouteNotFound'],
    ['9 another version', { target: listOne.replace('-preview', '') }, '400 UnsupportedApiVersion'],
    [
      '9 the version in capital letters',
      { target: listOne.replace('-preview', '-PREVIEW') },
      '400 UnsupportedApiVersion',
    ],
  ])('%s', async (_, sent, expected) => {
    // Sections 2.8 and 7: the status, with exactly the body of an error.
    expect(errorOf(await (await shared()).send(sent))).toBe(expected);
    const { value } = listOf(await (await shared()).send({ target: listOne }));
    const flags = value.map(({ name, properties }) => `${name} ${String(properties['isActive'])}`);
    expect(flags).toEqual(['A true', 'B false', 'C true', 'D true', 'E true']);
  });

  test('2 all JSON', async () => {
    const received = await (await shared()).send({ target: listOne });
    expect(received.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(jsonOf(received)).toEqual({ value: expect.any(Array) });
  });

  test('2.8 error.code is stable, and error.message a sentence', async () => {
    const errors = await Promise.all(
      ['/a', '/b'].map(async (target) => at(jsonOf(await (await shared()).send({ target })), 'error')),
    );
    const error = { code: 'RouteNotFound', message: expect.stringMatching(/^[A-Z].*\.$/) };
    expect(errors).toEqual([error, error]);
  });

  test('4.1 method, path and response 200, with the scope as one segment or as several', async () => {
    const [plain, asOne] = [
      await (await shared()).send({ target: listOne }),
      await (await shared()).send({ target: encoded }),
    ];
    expect([plain.status, asOne.status, asOne.text]).toEqual([200, 200, plain.text]);
  });

  test('4.1 request body none', async () => {
    const plain = await (await shared()).send({ target: listOne });
    const received = await (await shared()).send({ target: listOne, headers: json, body: turnOff.body });
    expect([received.status, received.text]).toEqual([200, plain.text]);
  });
});

test.each([
  ['3 true to false, 4.2 method, path and response 204', 'A', false, alertA],
  ['3 false to true', 'B', true, alertWith('B')],
  ['4.2 scope as one segment', 'A', false, alertA.replace('subscriptions/one', 'subscriptions%2Fone')],
  ['9 version string', 'A', false, `${pathOf(alertA)}?api-version=2022-08-01-preview`],
])('%s', async (_, name, isActive, target) => {
  const service = await startService();
  const received = await service.send({ ...turnOff, target, body: activate(isActive) });
  expect([received.status, received.text, received.headers['content-type']]).toEqual([204, '', undefined]);
  const alert = listOf(await service.send({ target: listOne })).value.find((each) => each.name === name);
  expect(alert?.properties['isActive']).toBe(isActive);
});

describe('section 5: authentication', () => {
  const asked = { response_type: 'token', client_id: 'portal', redirect_uri: portalURI, scope: 'user_impersonation' };
  const form = { ...asked, username: user.name, password: user.password, decision: 'allow' };
  const withPeople = () => startService({ publicURL, clients: clientsWith(), users });

  test('5 OAuth 2.0, implicit flow, scope user_impersonation, applied to both operations', async () => {
    const service = await withPeople();
    const answer = fragmentOf(await sendForm(service, form));
    expect(answer).toMatchObject({
      access_token: expect.any(String),
      token_type: 'Bearer',
      scope: 'user_impersonation',
    });
    const authorization = `Bearer ${answer['access_token']}`;
    expect((await service.send({ target: listOne, headers: { authorization } })).status).toBe(200);
    expect((await service.send({ ...turnOff, headers: { ...json, authorization } })).status).toBe(204);
    expect((await service.alerts.readAlert('subscriptions/one', 'A'))?.['systemData']).toMatchObject({
      lastModifiedBy: user.name,
    });
  });

  test('5 authorization URL', async () => {
    const target = `/common/oauth2/authorize?${new URLSearchParams(asked).toString()}`;
    expect((await (await withPeople()).send({ target, headers: anonymous })).status).toBe(200);
  });

  test('5 cloud_auth', async () => {
    const description = jsonOf(await (await startService()).send({ target: '/openapi.json', headers: anonymous }));
    expect(at(description, 'components.securitySchemes.cloud_auth.type')).toBe('oauth2');
  });
});
