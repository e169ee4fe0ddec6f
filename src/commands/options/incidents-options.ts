// The options of `rolealerts incidents`.
import { switchOption } from '../../lib/options/choice.ts';
import { outputOption } from './output-option.ts';
import { accessOptions } from './preview-options.ts';
import { viewerOptions } from './viewer-options.ts';

export const incidentsOptions = {
  ...viewerOptions,
  output: outputOption(['text', 'wide', 'json'], 'wide has the ids of incidents as well.'),
  reveal: switchOption({
    flag: 'reveal',
    description:
      'List the scopes with your own token and show what the service says of each incident, names of people included.',
  }),
  ...accessOptions,
};
