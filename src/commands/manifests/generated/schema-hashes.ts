// Made from crds/ by `npm run generate`. Change those files, never this one.

/** By the plural of the resource. */
export const schemaHashes: Readonly<Record<string, string>> = {
  clusterrolealertconnections: '6110932ba9a0',
  rolealertconnections: '31265cef0723',
  rolealertpolicies: '3feaf35015fe',
};
