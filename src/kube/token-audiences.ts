// The audiences that a JSON Web Token names. The signature is not verified: the token comes from the API server, or is the operator's own.
import { arrayOf, isString, objectOf, parseJson } from '../lib/json-shape.ts';

/** Empty for a text that is not such a token. */
export function audiencesOf(token: string): readonly string[] {
  const payload = token.split('.')[1] ?? '';
  const { aud } = objectOf(parseJson(Buffer.from(payload, 'base64url').toString('utf8')));
  return isString(aud) ? [aud] : arrayOf(aud).filter(isString);
}
