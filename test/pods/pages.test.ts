// The blocks of the pages about installation work as a newcomer pastes them, from the first to *Uninstall*.
import { expect, test } from 'vitest';

import { describeWithPods } from '../support/pods/describe-pods.ts';
import { blocksOf, readPage, shellOf } from '../support/pods/page-blocks.ts';

const page = readPage('deploy/README.md');
const [, uninstall = ''] = page.split('\n## Uninstall\n');
const trial = readPage('deploy/alerts-service/README.md');

describeWithPods('the pages about installation', (cluster) => {
  const run = shellOf(cluster);
  /** What a removal must delete, as far as its name says that it is of this project. */
  const left = async () => {
    const kinds = 'namespaces,customresourcedefinitions,clusterroles,clusterrolebindings';
    return (await cluster.kubectl(['get', kinds, '--output=name']))
      .split('\n')
      .filter((name) => /rolealert/.test(name));
  };

  test('the blocks of deploy/README.md install the operator and remove it', async () => {
    await run(blocksOf(page));
    expect(await left()).toEqual([]);
  });

  test('those of deploy/alerts-service/README.md try it, and those of *Uninstall* remove it', async () => {
    await run(blocksOf(trial));
    expect(await left()).not.toEqual([]);
    await run(blocksOf(uninstall));
    expect(await left()).toEqual([]);
  });
});
