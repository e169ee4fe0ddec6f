// Made from crds/ by `npm run generate`. Change those files, never this one.

/** By the plural of the resource. */
export const schemaHashes: Readonly<Record<string, string>> = {
  clusterrolealertconnections: '8a5a1bb20f3d',
  rolealertconnections: '5794b3d0fc9e',
  rolealertpolicies: 'e4781080bfaa',
};
