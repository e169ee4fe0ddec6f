import type { CredentialPlaces } from '../../../src/commands/preview/credentials.ts';

/** No place has a credential. */
export const noCredentials: CredentialPlaces = {
  secrets: new Map(),
  tokenFiles: { named: new Map(), unnamed: undefined, signIns: {} },
  readEnvironmentToken: () => undefined,
  readLoginTokens: async () => ({}),
  loginFile: 'tokens.json',
  clusterNamespace: 'rolealerts-system',
};
