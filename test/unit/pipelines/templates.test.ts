// The action, the workflow and the GitLab template agree with each other, with the program that they run and with their documentation.
import { readFileSync } from 'node:fs';

import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

interface Input {
  readonly description?: string;
  readonly default?: unknown;
  readonly required?: boolean;
}

interface Action {
  readonly inputs: Readonly<Record<string, Input>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly run?: string; readonly env?: Readonly<Record<string, string>> }[];
  };
}

const actionText = read('.github/actions/preview/action.yml');
const action = parse(actionText) as Action;
const gitlabText = read('deploy/pipelines/gitlab.yml');
const [header, body] = parseAllDocuments(gitlabText).map((document): unknown => document.toJS());
const gitlabInputs = (header as { spec: { inputs: Readonly<Record<string, Input>> } }).spec.inputs;
const variables = (body as { 'rolealerts-preview': { variables: Readonly<Record<string, string>> } })[
  'rolealerts-preview'
].variables;
const settings = new Set(
  [...read('deploy/pipelines/settings.ts').matchAll(/'(PREVIEW_[A-Z_]+)'/g)].map(([, name = '']) => name),
);
const readme = read('deploy/pipelines/README.md');

/** The names in the first column of the table, without the forge behind them. */
const documented = new Map(
  [...readme.matchAll(/^\| (`[^|]+) \| ([^|]*) \|/gm)].flatMap(([, names = '', fallback = '']) =>
    [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => [name, fallback] as const),
  ),
);

describe('the action', () => {
  const env = action.runs.steps.flatMap((step) => Object.entries(step.env ?? {}));

  it('uses every input, and only declared ones', () => {
    const used = [...actionText.matchAll(/\$\{\{ inputs\.([a-z-]+) \}\}/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs)));
  });

  it('sets what the program reads, and nothing else', () => {
    const set = env.map(([name]) => name).filter((name) => name !== 'ROLEALERTS_TOKEN');
    expect(set.sort()).toEqual([...settings].sort());
  });

  it('puts no input into the text of a script, where it could add commands', () => {
    const scripts = action.runs.steps.map(({ run = '' }) => run);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });
});

describe('the GitLab template', () => {
  const schema = JSON.parse(read('test/fixtures/pipelines/gitlab-ci.schema.json')) as { definitions: object };

  it.each([
    ['header', header],
    ['body', body],
  ])('follows the schema: %s', (name, document) => {
    const validate = new Ajv({ allowUnionTypes: true }).compile({ ...schema, $ref: `#/definitions/${name}` });
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('uses every input, and only declared ones', () => {
    const used = [...gitlabText.matchAll(/\$\[\[ inputs\.([a-z-]+) \]\]/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(gitlabInputs)));
  });

  it('sets what the program reads; the author of comments is the account of the token', () => {
    const set = Object.keys(variables).filter((name) => name.startsWith('PREVIEW_'));
    const ofUser = ['PREVIEW_COMMENT_TOKEN', 'PREVIEW_COMMENT_AUTHOR'];
    expect([...set, ...ofUser].sort()).toEqual([...settings].sort());
  });

  it('puts no input into the text of a script, where it could add commands', () => {
    const { script, before_script: before } =
      (body as Record<string, { script: string[]; before_script: string[] }>)['rolealerts-preview'] ?? {};
    expect([...(script ?? []), ...(before ?? [])].filter((line) => line.includes('$[['))).toEqual([]);
  });
});

describe('the documentation', () => {
  it('has every input', () => {
    expect([...documented.keys()].sort()).toEqual(
      [...new Set([...Object.keys(action.inputs), ...Object.keys(gitlabInputs)])].sort(),
    );
  });

  it.each(['plan', 'strict', 'fail-on-changes', 'comment', 'id'])('has the default of %s, which both have', (name) => {
    expect(documented.get(name)).toBe(`\`${String(action.inputs[name]?.default)}\``);
    expect(String(gitlabInputs[name]?.default)).toBe(String(action.inputs[name]?.default));
  });
});

it('the workflow to copy sets inputs of the action, with all that are required', () => {
  const workflow = parse(read('deploy/pipelines/github.yml')) as {
    jobs: { preview: { steps: { uses: string; with: object }[] } };
  };
  const given = Object.keys(workflow.jobs.preview.steps.at(-1)?.with ?? {});
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(given));
  const required = Object.entries(action.inputs).filter(([, input]) => input.required);
  expect(given).toEqual(expect.arrayContaining(required.map(([name]) => name)));
});
