// The options of `rolealerts local` and of `rolealerts demo`.
import { switchOption, textOption } from './option-types.ts';

export const localOptions = {
  stateDir: textOption({
    flag: 'state-dir',
    placeholder: 'FOLDER',
    sentence: 'Where the control plane keeps its data and its kubeconfig. Default: .rolealerts in the current folder.',
  }),
  kind: switchOption({
    flag: 'kind',
    sentence: 'Use kind and Docker instead. Not covered by the tests.',
  }),
};

export const demoOptions = {
  once: switchOption({
    flag: 'once',
    sentence: 'Play the story unattended and end: 0 when every sample reached its expected state.',
  }),
};
