// The result of a sign-in: that of the authorization response, or of the redemption of the code in it.
import { messageOf } from '../../lib/errors.ts';
import { redeemCode, type CodeFlow } from './code-flow.ts';
import { codeOf, foreignIssuer, parseLoginAnswer, type LoginAnswer } from './login-answer.ts';

export interface SentRequest {
  readonly authURL: string;
  readonly clientID: string;
  readonly scope: string;
  readonly state: string;
  readonly redirectURI: string;
  /** Undefined for the implicit flow. */
  readonly flow: CodeFlow | undefined;
}

/** Never rejects. `fragment` is that of the redirect URI. */
export async function readAnswer(
  fragment: string,
  request: SentRequest,
  nowMs: number,
  stopping: AbortSignal,
): Promise<LoginAnswer> {
  const { authURL, state, scope, flow } = request;
  const expected = { state, scope, nowMs };
  const answer = parseLoginAnswer(fragment, expected);
  if (answer.kind === 'foreign') return answer;
  // Also in the implicit flow: the token of another service would be stored as one of this service, and sent to it.
  const foreign = foreignIssuer(fragment, flow ?? { issuer: authURL, sendsIssuer: false });
  if (foreign !== undefined) return { kind: 'refused', message: `${foreign} Sign in again.` };
  const code = codeOf(fragment, request);
  if (!flow || code === undefined) return answer;
  try {
    const members = await redeemCode(flow, { ...request, code }, stopping);
    return parseLoginAnswer(new URLSearchParams({ ...members, state }).toString(), expected);
  } catch (error) {
    return { kind: 'refused', message: messageOf(error) };
  }
}
