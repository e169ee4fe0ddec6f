// The options of commands that read policies and connections from files or from a cluster.
import { repeatedTextOption } from './option-types/text.ts';
import { viewerOptions } from './viewer-options.ts';

export const declaredOptions = {
  filename: repeatedTextOption({
    flag: 'filename',
    letter: 'f',
    placeholder: 'PATH',
    description:
      'Read manifests instead of a cluster: a file, a directory with all YAML and JSON files below it, or - for standard input. Repeatable.',
  }),
  ...viewerOptions,
};
