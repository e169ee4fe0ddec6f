// The members `federated` of the clients in the file of `--registrations`: whose tokens a client trusts, and where the keys are.
import { resolve } from 'node:path';

import type { FederatedTrust } from '../oauth/federated-trust.ts';
import { decodeIssuerKeys } from '../oauth/token/issuer-keys.ts';
import { checked, list, object, refine, text, type MeaningOf } from './shape.ts';

/** The files that the registrations name. */
export interface NamedFiles {
  /** What `parse` makes of the text. Undefined for a file that cannot be used now, which is noted with the path of the member. */
  readonly read: <T>(file: string, member: string, parse: (text: string) => T) => Promise<T | undefined>;
  /** The folder that the names are relative to. */
  readonly folder: string;
}

/** Maximum number of trusts of one client. */
const trustsLimit = 16;

const claim = checked(text, (value) =>
  value.length > 512 || !/^[\x21-\x7e]*$/.test(value) ? 'must be up to 512 visible ASCII characters' : undefined,
);

const keyURL = checked(text, (value) => {
  const url = URL.parse(value);
  const isRight = url?.protocol === 'https:' && url.username === '' && url.password === '' && !value.includes('#');
  return isRight ? undefined : 'must be an https URL without user and fragment';
});

const members = object(
  { issuer: claim, subject: claim, audience: claim },
  { jwksFile: text, jwksURI: keyURL, caFile: text, tokenFile: text },
);

const trust = refine(members, (given, note) => {
  if ('jwksFile' in given === 'jwksURI' in given) note('must have either a jwksFile or a jwksURI');
  else if ('jwksFile' in given)
    for (const name of ['caFile', 'tokenFile']) if (name in given) note('is for a jwksURI only', name);
  return given;
});

export const trusts = list(trust, 1, trustsLimit);

/** With absolute paths. `member` is the path of the list in the file. */
export async function resolveTrusts(
  given: MeaningOf<typeof trusts>,
  member: string,
  files: NamedFiles,
): Promise<readonly FederatedTrust[]> {
  const resolved: FederatedTrust[] = [];
  for (const [index, each] of given.entries()) resolved.push(await resolveTrust(each, `${member}[${index}]`, files));
  return resolved;
}

async function resolveTrust(
  { jwksFile, jwksURI = '', caFile, tokenFile, ...claims }: MeaningOf<typeof trust>,
  member: string,
  { read, folder }: NamedFiles,
): Promise<FederatedTrust> {
  const pathOf = async (name: string, file: string, parse: (text: string) => unknown = () => undefined) => {
    await read(file, `${member}.${name}`, parse);
    return resolve(folder, file);
  };
  if (jwksFile !== undefined)
    return { ...claims, keys: { file: await pathOf('jwksFile', jwksFile, decodeIssuerKeys) } };
  const ca = caFile !== undefined && { caFile: await pathOf('caFile', caFile) };
  const token = tokenFile !== undefined && { tokenFile: await pathOf('tokenFile', tokenFile) };
  return { ...claims, keys: { url: jwksURI, ...ca, ...token } };
}
