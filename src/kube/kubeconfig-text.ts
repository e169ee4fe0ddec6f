// The text of a kubeconfig, which is read again whenever credentials are renewed.
import { readFileSync, statSync } from 'node:fs';

/** Returns the text of a file. Throws as `readFileSync`. */
export type ReadKubeconfig = (file: string) => string;

/** Keeps the text of what can be read only once, such as the pipe of `--kubeconfig <(command)`. */
export function kubeconfigReader(): ReadKubeconfig {
  const kept = new Map<string, string>();
  return (file) => {
    const known = kept.get(file);
    if (known !== undefined) return known;
    const text = readFileSync(file, 'utf8');
    if (!statSync(file).isFile()) kept.set(file, text);
    return text;
  };
}
