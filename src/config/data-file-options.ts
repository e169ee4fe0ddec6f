// The options of the commands on the state of a service: `rolealerts serve backup` and `rolealerts serve ca`.
import { textOption } from './option-types/text.ts';
import { serveOptions } from './serve-options.ts';

export const backupOptions = {
  data: textOption({
    flag: 'data',
    placeholder: 'FILE',
    description: 'The data file of the service, which may be running.',
  }),
};

export const caOptions = { ...backupOptions, database: serveOptions.database };
