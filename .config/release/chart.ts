// The Helm chart as a package, which depends only on its files: what `helm package` writes has the times of the build in it.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { tarOf } from '../image/tar.ts';

/** Paths in the folder. Follows links, as `helm package` does. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const isFolder = statSync(`${folder}/${name}`).isDirectory();
    return isFolder ? filesIn(`${folder}/${name}`).map((path) => `${name}/${path}`) : [name];
  });
}

/** `edit`: of the text of values.yaml. */
export async function packageChart(folder: string, edit: (values: string) => string): Promise<Uint8Array> {
  const entries = filesIn(folder).map((path) => {
    const content = readFileSync(`${folder}/${path}`);
    const edited = path === 'values.yaml' ? Buffer.from(edit(content.toString())) : content;
    return { path: `rolealerts/${path}`, mode: 0o644, content: edited };
  });
  return promisify(gzip)(tarOf(entries));
}
