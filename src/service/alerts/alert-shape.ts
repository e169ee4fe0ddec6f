// Checks a document against the types of section 2. Accepts members that section 2 does not define, null, and any text for an open
// set of values (discriminators, enumerations, dates), because the service does not interpret them.
import { lastSegment, sameName } from '../../alerts/resource-id.ts';
import { cleanText } from '../../lib/clean-text.ts';
import { isBoolean, isObject, isString, isWholeNumber, objectOf } from '../../lib/json-shape.ts';

type Check = (value: unknown, path: string, problems: string[]) => void;

/** The problems of one alert, each with its path; empty for a valid one. */
export function checkAlert(alert: unknown, path: string): readonly string[] {
  const problems: string[] = [];
  alertShape(alert, path, problems);
  return problems;
}

/** The problems of a list of incidents; empty for a valid one. */
export function checkIncidents(incidents: unknown, path: string): readonly string[] {
  const problems: string[] = [];
  incidentsShape(incidents, path, problems);
  return problems;
}

const isInt32 = (value: unknown) => isWholeNumber(value, -(2 ** 31), 2 ** 31 - 1);

const text = scalar(isString, 'must be text');
const flag = scalar(isBoolean, 'must be true or false');
const int32 = scalar(isInt32, 'must be a whole number of 32 bits');

/** `isActive` must not be null, because the service could not return it. */
const strictFlag: Check = (given, path, problems) => {
  if (given === null) problems.push(`${path} must be true or false`);
  else flag(given, path, problems);
};

function scalar(isRight: (value: unknown) => boolean, message: string): Check {
  return (given, path, problems) => {
    if (given !== null && !isRight(given)) problems.push(`${path} ${message}`);
  };
}

function object(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members);
  return (given, path, problems) => {
    if (!isObject(given)) {
      problems.push(`${path} must be an object`);
      return;
    }
    for (const [name, check] of checks) if (given[name] !== undefined) check(given[name], `${path}.${name}`, problems);
  };
}

function orNull(check: Check): Check {
  return (given, path, problems) => {
    if (given !== null) check(given, path, problems);
  };
}

function list(item: Check): Check {
  return (given, path, problems) => {
    if (!Array.isArray(given)) problems.push(`${path} must be a list`);
    else for (const [index, entry] of given.entries()) item(entry, `${path}[${index}]`, problems);
  };
}

const systemData = orNull(
  object({
    createdAt: text,
    createdBy: text,
    createdByType: text,
    lastModifiedAt: text,
    lastModifiedBy: text,
    lastModifiedByType: text,
  }),
);

/** A resource of section 2.1. Its id ends in its name; the rest of the id may be any text. */
function resource(properties: Check): Check {
  const members = object({ id: text, name: text, type: text, systemData, properties });
  return (given, path, problems) => {
    members(given, path, problems);
    const { id, name } = objectOf(given);
    if (!isString(id) || !isString(name) || sameName(lastSegment(id), name)) return;
    problems.push(`${path}.id must end in the name "${cleanText(name)}"`);
  };
}

const definitionShape = resource(
  orNull(
    object({
      description: text,
      displayName: text,
      howToPrevent: text,
      isConfigurable: flag,
      isRemediatable: flag,
      mitigationSteps: text,
      scope: text,
      securityImpact: text,
      severityLevel: text,
    }),
  ),
);

const configurationShape = resource(
  orNull(
    object({
      alertConfigurationType: text,
      alertDefinition: orNull(definitionShape),
      alertDefinitionId: text,
      isEnabled: flag,
      scope: text,
      thresholdNumberOfPermanentOwners: int32,
      thresholdPercentageOfPermanentOwnersOutOfAllOwners: int32,
      thresholdNumberOfOwners: int32,
      thresholdPercentageOfOwnersOutOfAllRoleMembers: int32,
    }),
  ),
);

const incidentTexts = [
  'alertIncidentType',
  'assigneeName',
  'assigneeType',
  'assigneeDisplayName',
  'assigneeId',
  'assigneeUserPrincipalName',
  'assignmentActivatedDate',
  'requestorDisplayName',
  'requestorId',
  'requestorUserPrincipalName',
  'roleDefinitionId',
  'roleDisplayName',
  'roleTemplateId',
  'duplicateRoles',
  'reason',
  'roleName',
];

const incidentsShape = list(resource(orNull(object(Object.fromEntries(incidentTexts.map((name) => [name, text]))))));

/** Its properties must not be null, because the service returns the flag among them. */
const alertShape = resource(
  object({
    alertConfiguration: orNull(configurationShape),
    alertDefinition: orNull(definitionShape),
    alertIncidents: orNull(incidentsShape),
    incidentCount: int32,
    isActive: strictFlag,
    lastModifiedDateTime: text,
    lastScannedDateTime: text,
    scope: text,
  }),
);
