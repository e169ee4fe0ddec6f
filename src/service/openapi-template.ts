// openapi.yaml as JSON text. The bundle contains the text instead of this module (.config/inlined-description.ts).
import { readFileSync } from 'node:fs';

import { parse } from 'yaml';

const file = new URL('openapi.yaml', import.meta.url);

/** With its placeholders. */
export const openAPITemplate = JSON.stringify(parse(readFileSync(file, 'utf8')));
