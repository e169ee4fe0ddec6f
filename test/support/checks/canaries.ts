// Texts that must never leave the operator: credentials, and people's data in the service's responses. Every
// seed and every Secret of the operator's tests contains them, and the tests search all output of the operator for them.

/** The bearer token of the tests' connections. */
export const canaryToken = 'canary-token-8f3b61';
export const canaryClientSecret = 'canary-client-secret-27aa';
/** Beginning of every token that the token endpoint gives out. */
export const canaryIssuedToken = 'canary-issued-token';

const person = 'Canary Person';
const mail = 'canary.person@people.example';

/** An incident of section 2.5 with a person in every field that can name one. */
export function incident(id: string, type = 'TooManyOwnersAssignedToResourceAlertIncident'): object {
  return {
    name: id,
    systemData: { createdAt: '2026-01-01T00:00:00Z', createdBy: mail, createdByType: 'User', lastModifiedBy: mail },
    properties: {
      alertIncidentType: type,
      assigneeName: person,
      assigneeType: 'User',
      assigneeDisplayName: person,
      assigneeId: 'canary-assignee-id',
      assigneeUserPrincipalName: mail,
      requestorDisplayName: person,
      requestorId: 'canary-requestor-id',
      requestorUserPrincipalName: mail,
      reason: `asked for by ${person}`,
    },
  };
}

/** `systemData` of section 2.7 that names the person who changed the flag. */
export const modifiedByPerson = {
  createdBy: mail,
  createdByType: 'User',
  lastModifiedBy: mail,
  lastModifiedByType: 'User',
  lastModifiedAt: '2026-01-01T00:00:00Z',
} as const;

/** A part of the service's error messages: it may appear in the log, and nowhere else. */
export const serviceWords = 'in-the-words-of-the-service';

/** The kinds of canaries in a text, regardless of case; empty when there are none. */
export function canariesIn(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const found = lower.match(/canary[ .-][a-z]+/g) ?? [];
  const isBase64 = [canaryToken, canaryClientSecret].some((secret) =>
    text.includes(Buffer.from(secret).toString('base64').slice(0, 20)),
  );
  return [...new Set([...found, ...(isBase64 ? ['a credential in base64'] : [])])];
}
