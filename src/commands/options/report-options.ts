// The options of `rolealerts report`.
import { textOption } from '../../lib/options/text.ts';
import { viewerOptions } from './viewer-options.ts';

export const reportOptions = {
  ...viewerOptions,
  html: textOption({
    flag: 'html',
    placeholder: 'FILE',
    description: 'The file to write as HTML, or - for standard output. Required.',
  }),
};
