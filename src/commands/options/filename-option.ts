// The option `--filename` of the commands that read manifests.
import { repeatedTextOption } from '../../lib/options/text.ts';

/** `before` and `after`: what the description says around the places that it takes. */
export function filenameOption(before: string, after: string) {
  return repeatedTextOption({
    flag: 'filename',
    letter: 'f',
    placeholder: 'PATH',
    description: `${before} file, a directory with all YAML and JSON files below it, or - for standard input${after}`,
  });
}
