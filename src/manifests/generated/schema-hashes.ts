// Made from crds/ by `npm run generate`. Change those files, never this one.

/** By the plural of the resource. */
export const schemaHashes: Readonly<Record<string, string>> = {
  clusterrolealertconnections: '0666bb710972',
  rolealertconnections: '9417f42a242c',
  rolealertpolicies: 'ad824c7f8998',
};
