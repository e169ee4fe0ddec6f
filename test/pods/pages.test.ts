// The pages about what runs as pods work as a newcomer pastes them: from the installation to *Uninstall*.
import { expect, test } from 'vitest';

import { describeWithPods } from '../support/pods/describe-pods.ts';
import { shellOf } from '../support/pods/page-shell.ts';
import { blocksOf, readPage } from '../support/rigs/page-blocks.ts';

const task = (name: string) => readPage(`deploy/tasks/${name}.md`);
const [trial = '', removal = ''] = readPage('deploy/alerts-service/README.md').split('\n## Remove it\n');

describeWithPods('the pages about what runs as pods', (cluster) => {
  const run = shellOf(cluster);
  /** What a removal must delete, as far as its name says that it is of this project. */
  const left = async () => {
    const kinds = 'namespaces,customresourcedefinitions,clusterroles,clusterrolebindings';
    return (await cluster.kubectl(['get', kinds, '--output=name']))
      .split('\n')
      .filter((name) => /rolealert/.test(name));
  };

  test('the operator is installed, upgraded, rolled back and removed', async () => {
    await run(['install', 'upgrade', 'uninstall'].flatMap((name) => blocksOf(task(name))));
    expect(await left()).toEqual([]);
  });

  test('the alerts service is tried, backed up and removed, and then the operator', async () => {
    await run([...blocksOf(trial), ...blocksOf(task('backup'), 'service'), ...blocksOf(removal)]);
    expect(await left()).not.toEqual([]);
    await run(blocksOf(task('uninstall')));
    expect(await left()).toEqual([]);
  });
});
