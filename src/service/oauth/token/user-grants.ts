// The grants that continue a user's sign-in at the token endpoint: the authorization code (RFC 6749 section 4.1.3, RFC 7636) and the
// refresh token (section 6).
import type { Continued, Delegation, Delegations } from '../delegations.ts';
import type { Parameters } from '../form.ts';
import type { PasswordMarkOf } from '../password-marks.ts';
import { scopesOf, type Registrations, type ServiceClient } from '../registrations.ts';
import { parseScopes, type OAuthScope } from '../scopes.ts';
import type { Refusal } from './oauth-error.ts';

export const userGrantTypes = ['authorization_code', 'refresh_token'] as const;

export interface UserGrantsDeps {
  readonly registrations: Registrations;
  readonly delegations: Delegations;
  readonly passwordMarkOf: PasswordMarkOf;
}

/** What the client may have now. */
export interface UserGrant extends Continued {
  readonly scopes: readonly OAuthScope[];
}

/** Counts a request of the user; the problem when there are too many. */
export type RateProblem = (userName: string) => Refusal | undefined;

/** True when the form has a code or a refresh token that the client was given. Neither can be guessed. */
export async function isGrantOf({ delegations }: UserGrantsDeps, client: ServiceClient, form: Parameters) {
  if (form.get('grant_type') !== 'refresh_token') return delegations.isCodeOf(client.id, form.get('code') ?? '');
  return (await delegations.find(form.get('refresh_token') ?? ''))?.clientID === client.id;
}

/** Redeems the code or the refresh token of the form for the client. */
export function redeemUserGrant(
  deps: UserGrantsDeps,
  client: ServiceClient,
  form: Parameters,
  rateProblem: RateProblem,
): Promise<UserGrant | Refusal> {
  if (form.get('grant_type') === 'refresh_token') return refresh(deps, client, form, rateProblem);
  return redeemCode(deps, client, form);
}

async function redeemCode(
  { registrations, delegations }: UserGrantsDeps,
  client: ServiceClient,
  form: Parameters,
): Promise<UserGrant | Refusal> {
  const code = form.get('code');
  if (code === undefined) return { error: 'invalid_request', description: 'code is missing.' };
  const continued = await delegations.redeemCode(code, {
    clientID: client.id,
    redirectURI: form.get('redirect_uri'),
    codeVerifier: form.get('code_verifier'),
  });
  if (!continued)
    return invalidGrant('The code is invalid, has ended or was used, or redirect_uri or code_verifier is wrong.');
  const { userName, scopes } = continued.delegation;
  const allowed = allowedNow(registrations, client, userName, scopes);
  return allowed.length > 0 ? { ...continued, scopes: allowed } : invalidGrant('The user is no longer registered.');
}

/** Checks everything else first, because an attempt uses up the refresh token. */
async function refresh(
  { registrations, delegations, passwordMarkOf }: UserGrantsDeps,
  client: ServiceClient,
  form: Parameters,
  rateProblem: RateProblem,
): Promise<UserGrant | Refusal> {
  const token = form.get('refresh_token');
  if (token === undefined) return { error: 'invalid_request', description: 'refresh_token is missing.' };
  const delegation = await delegations.find(token);
  const unusable = 'The refresh token is invalid, has ended, was used or was revoked.';
  if (delegation?.clientID !== client.id) return invalidGrant(unusable);
  const allowed = allowedNow(registrations, client, delegation.userName, delegation.scopes);
  if (allowed.length === 0) return invalidGrant('The user is no longer registered.');
  if (!(await hasSamePassword(delegation, registrations, passwordMarkOf)))
    return invalidGrant('The password of the user has changed. Sign in again.');
  const scopes = form.has('scope') ? parseScopes(form.get('scope'), allowed) : allowed;
  if (!scopes) return { error: 'invalid_scope', description: `The user granted ${allowed.join(' and ')}.` };
  const problem = rateProblem(delegation.userName);
  if (problem) return problem;
  const continued = await delegations.rotate(token);
  return continued ? { ...continued, scopes } : invalidGrant(unusable);
}

/** Whether the password of the user is that of the sign-in. */
async function hasSamePassword(
  { userName, passwordMark }: Delegation,
  registrations: Registrations,
  passwordMarkOf: PasswordMarkOf,
): Promise<boolean> {
  const user = registrations.user(userName);
  return passwordMark === undefined || (user !== undefined && passwordMark === (await passwordMarkOf(user)));
}

/** The scopes of the sign-in that the registrations still allow. */
function allowedNow(
  registrations: Registrations,
  client: ServiceClient,
  userName: string,
  scopes: readonly OAuthScope[],
): readonly OAuthScope[] {
  const user = registrations.user(userName);
  return scopes.filter((scope) => user && scopesOf(user).includes(scope) && scopesOf(client).includes(scope));
}

function invalidGrant(description: string): Refusal {
  return { error: 'invalid_grant', description };
}
