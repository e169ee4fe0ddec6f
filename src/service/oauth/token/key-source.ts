// Reads the keys that an issuer publishes: a file, or one bounded request over TLS with its own CA and token. Both files are read
// for each request, because a cluster rotates them.
import { Agent } from 'undici';

import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import { readFileBytes, readWholeFile } from '../../../lib/read-bytes.ts';
import { type CallErrors, sendWhole, type WholeResponse } from '../../../lib/undici-call.ts';
import type { KeySource, KeyURL } from '../federated-trust.ts';

/** Rejects with an error whose message says why the keys cannot be read. */
export type ReadKeySource = (source: KeySource) => Promise<string>;

const deadlineMs = 5000;
/** An API server answers 406 without the first; others may know only the second. */
const keyTypes = 'application/jwk-set+json, application/json';
export const keyDocumentLimitBytes = 65_536;

export function createKeySourceReader(clock: Clock): ReadKeySource {
  return (source) => ('file' in source ? readKeyFile(source.file) : requestKeys(source, clock));
}

async function readKeyFile(file: string): Promise<string> {
  const bytes = await readFileBytes(file, keyDocumentLimitBytes);
  if (bytes.length > keyDocumentLimitBytes) throw tooLarge();
  return bytes.toString('utf8');
}

async function requestKeys({ url, caFile, tokenFile }: KeyURL, clock: Clock): Promise<string> {
  const { origin, pathname, search } = new URL(url);
  const ca = caFile === undefined ? undefined : (await readWholeFile(caFile)).toString('utf8');
  const token = tokenFile === undefined ? undefined : (await readWholeFile(tokenFile)).toString('utf8').trim();
  const headers = { accept: keyTypes, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const agent = new Agent({ allowH2: false, connect: { timeout: deadlineMs, ...(ca !== undefined && { ca }) } });
  try {
    return await sendWhole(
      agent,
      { origin, method: 'GET', path: `${pathname}${search}`, headers },
      { limits: { clock, deadlineMs }, errors, bodyLimitOf: () => keyDocumentLimitBytes, responseOf: textOf },
    );
  } finally {
    await agent.destroy();
  }
}

const errors: CallErrors = {
  network: (error) => new Error(messageOf(error)),
  deadline: () => new Error('no complete response before the deadline'),
  aborted: () => new Error('the request was cancelled'),
};

function textOf({ status, body }: WholeResponse): string {
  if (status !== 200) throw new Error(`the response has the status ${status}`);
  if (body === undefined) throw tooLarge();
  return body.toString('utf8');
}

function tooLarge(): Error {
  return new Error(`the keys have more than ${keyDocumentLimitBytes} bytes`);
}
