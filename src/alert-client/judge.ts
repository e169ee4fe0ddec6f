// An answer of the service, judged: a success, or the error that the loop gets. The rules are in classify.ts; here the
// headers and the body are looked at and the facts for the log and the condition are collected.
import { OperatorError, type ErrorFacts } from '../lib/errors.ts';
import type { Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { classify, type Operation } from './classify.ts';
import { decodeErrorBody, type ErrorBody } from './error-body.ts';
import type { HttpAnswer } from './exchange.ts';
import { busyDelayMs, parseRetryAfter } from './retry-after.ts';

export type Success = 'succeeded' | 'unproven';
/** An error is returned, not thrown: a refused token is not the end yet. */
export type Judgement = Success | OperatorError;

export interface JudgeContext {
  /** What must not be repeated in an error's words. */
  readonly secret: SecretText;
  /** Wall time. */
  readonly nowMs: number;
  readonly random: Random;
}

export function judge(operation: Operation, answer: HttpAnswer, context: JudgeContext): Judgement {
  const retryAfter = headerOf(answer, 'retry-after');
  const body = answer.status >= 400 ? readErrorBody(answer, context.secret) : undefined;
  const verdict = classify(operation, {
    status: answer.status,
    hasErrorBody: body !== undefined,
    hasRetryAfter: retryAfter !== undefined,
  });
  if (verdict.kind !== 'failed') return verdict.kind;
  const facts: ErrorFacts = {
    status: answer.status,
    ...(verdict.code === 'service-protocol' && { reason: 'ProtocolError' }),
    ...(verdict.code === 'service-busy' && { retryAfterMs: busyMs(answer, retryAfter, context) }),
    ...(body?.code !== undefined && { serviceCode: body.code }),
    ...(body?.message !== undefined && { detail: body.message }),
  };
  return new OperatorError(verdict.code, verdict.sentence, facts);
}

function busyMs(answer: HttpAnswer, retryAfter: string | undefined, { nowMs, random }: JudgeContext): number {
  const namedMs = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, nowMs, headerOf(answer, 'date'));
  return busyDelayMs(namedMs, random);
}

/** The content type is not asked: what parses as an error body is one. */
function readErrorBody({ body }: HttpAnswer, secret: SecretText): ErrorBody | undefined {
  if (body === undefined || body.length === 0) return undefined;
  try {
    return decodeErrorBody(JSON.parse(body.toString('utf8')), secret);
  } catch {
    return undefined;
  }
}

/** The first value of a header that was sent more than once. */
function headerOf({ headers }: HttpAnswer, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
