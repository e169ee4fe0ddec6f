// The operator discloses no credentials and no names of people. The oracle searches all of its output.
import { canariesIn, serviceWords } from '../../support/checks/canaries.ts';
import type { Oracle } from './oracle.ts';

export const secretsOracle: Oracle = {
  name: 'no secret and no person leaves the operator',
  watch(world, report) {
    world.api.onWrite.push(({ body, path, process }, { resource }) => {
      const found = canariesIn(`${path} ${body}`);
      if (found.length > 0) report(`${process} wrote ${found.join(', ')} to ${resource.plural}`);
      if (body.includes(serviceWords)) report(`${process} wrote the service's own words to ${resource.plural}`);
    });
    world.onExchange.push(({ request }) => {
      const found = canariesIn(request.path);
      if (found.length > 0) report(`${request.process} sent ${found.join(', ')} in a URL`);
    });
  },
  atEnd(world, report) {
    const line = world.lines.find((text) => canariesIn(text).length > 0);
    if (line !== undefined) report(`logged: ${line.slice(0, 300)}`);
  },
};
