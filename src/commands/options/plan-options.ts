// The options of `rolealerts plan`.
import { switchOption } from '../../lib/options/choice.ts';
import { timeOption } from '../../lib/options/time.ts';
import { outputOption } from './output-option.ts';
import { previewOptions } from './preview-options.ts';
import { viewerOptions } from './viewer-options.ts';

export const planOptions = {
  ...previewOptions,
  live: switchOption({
    flag: 'live',
    description: 'Read the objects and their statuses from the cluster; the files replace objects of the same name.',
  }),
  allNamespaces: viewerOptions.allNamespaces,
  at: timeOption({
    flag: 'at',
    description: 'Plan as of that time, with the alerts as they are now. Default: now.',
  }),
  output: outputOption(['text', 'markdown', 'json', 'sarif', 'junit']),
};
