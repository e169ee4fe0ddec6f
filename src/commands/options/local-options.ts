// The options of `rolealerts local` and of `rolealerts demo`.
import { switchOption } from '../../lib/options/choice.ts';
import { textOption } from '../../lib/options/text.ts';

export const localOptions = {
  stateDir: textOption({
    flag: 'state-dir',
    placeholder: 'FOLDER',
    description:
      'The folder for the data and the kubeconfig of the control plane. Default: .rolealerts in the checkout, or outside of it in the current folder.',
  }),
  kind: switchOption({
    flag: 'kind',
    description: 'Use kind and Docker instead. The tests do not cover this.',
  }),
};

export const demoOptions = {
  once: switchOption({
    flag: 'once',
    description: 'Run the scenario non-interactively; exit with 0 when every sample reached its expected state.',
  }),
};
