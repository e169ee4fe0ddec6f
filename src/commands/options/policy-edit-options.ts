// The options of `rolealerts reconcile`, `suspend` and `resume`.
import { switchOption } from '../../lib/options/choice.ts';
import { flagOnly } from '../../lib/options/define.ts';
import { durationOption } from '../../lib/options/quantity.ts';
import { selectorOption } from '../../lib/options/text.ts';
import { optionalDurationOption, timeOption } from '../../lib/options/time.ts';
import { viewerOptions } from './viewer-options.ts';

export const policyEditOptions = {
  ...viewerOptions,
  all: flagOnly(
    switchOption({
      flag: 'all',
      description: 'Every policy of the namespace, or with --all-namespaces of the cluster.',
    }),
  ),
  selector: flagOnly(
    selectorOption({
      flag: 'selector',
      letter: 'l',
      description: "The policies with these labels, such as team=payments or 'team in (a,b)'.",
    }),
  ),
  wait: switchOption({
    flag: 'wait',
    description: 'Wait until the operator has handled the change.',
  }),
  timeout: durationOption({
    flag: 'timeout',
    fallback: 120_000,
    least: 1000,
    most: 86_400_000,
    description: 'How long --wait waits.',
  }),
};

export const suspendOptions = {
  ...policyEditOptions,
  until: flagOnly(
    timeOption({
      flag: 'until',
      description: 'When the suspension ends by itself. Default: never.',
    }),
  ),
  for: flagOnly(
    optionalDurationOption({
      flag: 'for',
      least: 60_000,
      most: 8_784 * 3_600_000,
      description: 'How long the suspension lasts, instead of --until.',
    }),
  ),
};
