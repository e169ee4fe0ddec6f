// The options of commands that read policies and connections from files or from a cluster.
import { filenameOption } from './filename-option.ts';
import { viewerOptions } from './viewer-options.ts';

export const declaredOptions = {
  filename: filenameOption('Read manifests instead of a cluster: a', '. Repeatable.'),
  ...viewerOptions,
};
