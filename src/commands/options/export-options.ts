// The options of `rolealerts export`.
import { choiceOption, switchOption } from '../../lib/options/choice.ts';
import { flagOnly } from '../../lib/options/define.ts';
import { numberOption } from '../../lib/options/quantity.ts';
import { repeatedTextOption, textOption } from '../../lib/options/text.ts';
import { accessOptions } from './preview-options.ts';

export const exportOptions = {
  connection: flagOnly(
    repeatedTextOption({
      flag: 'connection',
      placeholder: 'PATH',
      description:
        'The manifest of the connection, and of its Secret and ConfigMap: a file, a directory, or - for standard input. Repeatable. Required.',
    }),
  ),
  scope: flagOnly(
    repeatedTextOption({
      flag: 'scope',
      placeholder: 'SCOPE',
      description: 'A scope to export. Repeatable.',
    }),
  ),
  scopesFrom: flagOnly(
    textOption({
      flag: 'scopes-from',
      placeholder: 'FILE',
      description: 'A file with one scope a line, or - for standard input. A # begins a comment.',
    }),
  ),
  namespace: textOption({
    flag: 'namespace',
    letter: 'n',
    placeholder: 'NAMESPACE',
    description: 'The namespace of the policies. Default: that of the connection, or none.',
  }),
  mode: choiceOption({
    flag: 'mode',
    choices: ['Observe', 'Enforce'],
    fallback: 'Observe',
    description: 'The mode of the policies.',
  }),
  activeOnly: switchOption({
    flag: 'active-only',
    description: 'Leave out the inactive alerts instead of declaring dismissals.',
  }),
  dismissalDays: numberOption({
    flag: 'dismissal-days',
    fallback: 90,
    least: 1,
    most: 3650,
    defaultText: '90',
    description:
      'Days until the dismissals of inactive alerts end. Those that name no incidents end within limits.maxDismissal.',
  }),
  outputDir: flagOnly(
    textOption({
      flag: 'output-dir',
      placeholder: 'DIRECTORY',
      description: 'Write one file for each scope there. Default: one YAML stream on standard output.',
    }),
  ),
  ...accessOptions,
};
