// Puts the OpenAPI description into the bundle while it is built, so that the program neither reads the file nor parses YAML.
import type { Plugin } from 'rolldown';

import { openAPITemplate } from '../src/service/openapi-template.ts';

/** Replaces service/openapi-template.ts. */
export const inlinedDescription: Plugin = {
  name: 'inlined-description',
  load: (id) =>
    id.endsWith('/src/service/openapi-template.ts')
      ? { code: `export const openAPITemplate = ${JSON.stringify(openAPITemplate)};`, moduleType: 'js' }
      : undefined,
};
