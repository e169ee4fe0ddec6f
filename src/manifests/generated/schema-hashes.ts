// Made from crds/ by `npm run generate`. Change those files, never this one.

/** By the plural of the resource. */
export const schemaHashes: Readonly<Record<string, string>> = {
  clusterrolealertconnections: '42acd76df9c8',
  rolealertconnections: '8c6e140fb053',
  rolealertpolicies: 'ad824c7f8998',
};
