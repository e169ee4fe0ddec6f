// Asks a local API server for one status code. Its start needs no more, so that it needs no kubectl.
import { get } from 'node:https';

import type { SecretText } from '../lib/secret-text.ts';

export interface ProbeTarget {
  readonly url: string;
  readonly token: SecretText;
  /** The CA that verifies `url`, in PEM. */
  readonly certificateAuthority: string;
}

const answerWithinMs = 3000;

/** The HTTP status of `path`; undefined without an answer within three seconds. */
export function probeApiServer(target: ProbeTarget, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(
      `${target.url}${path}`,
      {
        ca: target.certificateAuthority,
        headers: { authorization: `Bearer ${target.token.reveal()}` },
        // A socket for each request: the server may be another process by the next one.
        agent: false,
        signal: AbortSignal.timeout(answerWithinMs),
      },
      (response) => {
        response.resume();
        response.on('error', () => undefined);
        resolve(response.statusCode);
      },
    );
    request.on('error', () => resolve(undefined));
  });
}
