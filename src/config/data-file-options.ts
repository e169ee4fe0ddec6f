// The options of `rolealerts serve backup`.
import { textOption } from './option-types/text.ts';

export const backupOptions = {
  data: textOption({
    flag: 'data',
    placeholder: 'FILE',
    description: 'The data file of the service, which may be running. Required.',
  }),
};
