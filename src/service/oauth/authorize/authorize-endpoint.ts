// The authorization endpoint of section 5: a user signs in on our page, and the client gets the token (implicit flow, RFC 6749 section
// 4.2) or a code (section 4.1) with its redirect URI. The endpoint is stateless: the form is sent to the URL of the page, which has the parameters of the request.
import { hostOf } from '../../http/link-origin.ts';
import { headerOf, type ServiceRequest, type ServiceResponse } from '../../http/message.ts';
import { splitTarget } from '../../http/resource-path.ts';
import { errorResponse } from '../../http/service-errors.ts';
import type { Approved, AuthorizationCodes } from '../authorization-codes.ts';
import { parseFormBody, parseParameters, type Parameters } from '../form.ts';
import type { AccessTokens } from '../keys/access-tokens.ts';
import { scopesOf, type Registrations } from '../registrations.ts';
import {
  longestParameter,
  parseAuthorize,
  type AuthorizeProblem,
  type AuthorizeRequest,
  type RequestedCode,
  type ReturnPlace,
} from './authorize-request.ts';
import { redirectTo, refusalPage, signInPage } from './sign-in-page.ts';
import type { SignIn } from './sign-in.ts';

export interface AuthorizeEndpointDeps {
  readonly registrations: Registrations;
  readonly tokens: AccessTokens;
  readonly signIn: SignIn;
  readonly codes: Pick<AuthorizationCodes, 'approve'>;
  readonly publicURL: () => string;
}

export function createAuthorizeEndpoint(deps: AuthorizeEndpointDeps) {
  return async (request: ServiceRequest): Promise<ServiceResponse> => {
    const isForm = request.method === 'POST';
    if (isForm && isFromElsewhere(request, deps.publicURL()))
      return refusalPage(403, 'The form was sent from another page.', 'cross_site');
    const form = isForm ? parseFormBody(request)?.parameters : noForm;
    if (!form) return errorResponse('UnsupportedMediaType', 'Send the form as application/x-www-form-urlencoded.');
    const given = parseParameters(splitTarget(request.target)?.query ?? '');
    if ([...given.parameters.values(), ...form.values()].some(({ length }) => length > longestParameter)) {
      const message = `A parameter is longer than ${longestParameter} characters.`;
      return refusalPage(400, message, 'invalid_request');
    }
    const parsed = parseAuthorize(given, deps.registrations, deps.publicURL());
    if (parsed.kind === 'refused') return refusalPage(400, parsed.message, 'invalid_request');
    if (parsed.kind === 'problem') return deny(parsed.place, parsed.problem);
    if (!isForm) return signInPage(200, { request: parsed.request, userName: '', problem: undefined });
    return answerForm(deps, parsed.request, form, request.clientAddress);
  };
}

const noForm: Parameters = new Map();

/** True when a browser reports another origin of the form, which must not sign a user in. */
function isFromElsewhere(request: ServiceRequest, publicURL: string): boolean {
  const site = headerOf(request, 'sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin';
  const origin = headerOf(request, 'origin');
  return origin !== undefined && origin !== publicURL && !isAddressed(request, origin);
}

/** Whether the request was sent to the host of the origin. Neither needs the port that its scheme implies. */
function isAddressed(request: ServiceRequest, origin: string): boolean {
  const from = URL.parse(origin);
  return from !== null && from.host !== '' && URL.parse(`${from.protocol}//${hostOf(request)}`)?.host === from.host;
}

async function answerForm(
  deps: AuthorizeEndpointDeps,
  request: AuthorizeRequest,
  form: Parameters,
  clientAddress: string | undefined,
): Promise<ServiceResponse> {
  if (form.get('decision') === 'deny') {
    return deny(request, { error: 'access_denied', description: 'The user cancelled the sign-in.' });
  }
  const userName = form.get('username') ?? '';
  const attempt = { name: userName, address: clientAddress };
  const outcome = await deps.signIn.check(attempt, form.get('password') ?? '');
  if (outcome === 'right') return allow(deps, request, userName);
  const again = (status: number, problem: string, errorCode: string, headers?: Record<string, string>) => ({
    ...signInPage(status, { request, userName, problem }, headers),
    errorCode,
  });
  if (outcome === 'wrong') return again(401, 'Wrong user or password.', 'wrong_password');
  if (outcome === 'busy') return again(503, 'Too many concurrent sign-ins. Try again.', 'busy', { 'retry-after': '1' });
  return again(429, 'Too many wrong passwords. Wait a minute and try again.', 'too_many_attempts', {
    'retry-after': '60',
  });
}

async function allow(deps: AuthorizeEndpointDeps, request: AuthorizeRequest, userName: string) {
  const user = deps.registrations.user(userName);
  const scopes = request.scopes.filter((scope) => user && scopesOf(user).includes(scope));
  if (scopes.length === 0) {
    const may = user ? scopesOf(user).join(' and ') : '';
    const description = `The user does not have the requested scopes; request ${may}.`;
    return deny(request, { error: 'access_denied', description });
  }
  const approved = { clientID: request.client.id, userName, scopes };
  return redirectTo(request, await (request.code ? giveCode(deps, approved, request.code) : giveToken(deps, approved)));
}

async function giveToken({ tokens }: AuthorizeEndpointDeps, { clientID, userName, scopes }: Approved) {
  const token = await tokens.issue({ subject: userName, subjectType: 'user', clientID, scopes });
  return {
    access_token: token.text,
    token_type: 'Bearer',
    expires_in: String(token.lifetimeSeconds),
    scope: scopes.join(' '),
  };
}

async function giveCode(deps: AuthorizeEndpointDeps, approved: Approved, requested: RequestedCode) {
  const { challenge: codeChallenge, redirectURI } = requested;
  return { code: await deps.codes.approve({ ...approved, codeChallenge, redirectURI }) };
}

function deny(place: ReturnPlace, { error, description }: AuthorizeProblem): ServiceResponse {
  return { ...redirectTo(place, { error, error_description: description }), errorCode: error };
}
