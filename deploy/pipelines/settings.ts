// What a pipeline sets in the environment of a preview.
import type { GitHubOptions, GitLabOptions } from './forge.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Settings {
  readonly paths: readonly string[];
  readonly isStrict: boolean;
  readonly plans: boolean;
  readonly allowedHosts: string;
  readonly failsOnChanges: boolean;
  /** Identifies the comment among those of one pull request. */
  readonly id: string;
}

/** Where the comment goes; undefined outside a pull request, or without a token. */
export type CommentPlace =
  | { readonly kind: 'GitHub'; readonly options: GitHubOptions }
  | { readonly kind: 'GitLab'; readonly options: GitLabOptions };

/** Throws an `Error` that names the setting and the fix. */
export function readSettings(environment: Environment): Settings {
  const paths = linesOf(environment['PREVIEW_PATHS']);
  const plans = readSwitch(environment, 'PREVIEW_PLAN', true);
  const allowedHosts = environment['PREVIEW_ALLOWED_HOSTS']?.trim() ?? '';
  const id = environment['PREVIEW_ID']?.trim() || 'default';
  if (paths.length === 0) throw new Error('no paths: name files or directories with manifests, one a line');
  if (plans && allowedHosts === '') {
    const why = 'a pull request may change the URL of a connection, and plan sends it the token';
    throw new Error(`no allowed hosts: ${why}; name the hosts of your services, or set plan to false`);
  }
  if (!/^[\w.-]{1,60}$/.test(id)) throw new Error('the id needs 1 to 60 letters, digits, dots, dashes or underscores');
  const isStrict = readSwitch(environment, 'PREVIEW_STRICT', true);
  return { paths, isStrict, plans, allowedHosts, id, failsOnChanges: readSwitch(environment, 'PREVIEW_FAIL_ON_CHANGES', false) };
}

/** `event`: the payload of the event, as JSON, of GitHub only. */
export function commentPlace(environment: Environment, event: unknown): CommentPlace | undefined {
  const token = environment['PREVIEW_COMMENT_TOKEN'] ?? '';
  if (token === '' || !readSwitch(environment, 'PREVIEW_COMMENT', true)) return undefined;
  return environment['GITLAB_CI'] === 'true' ? onGitLab(environment, token) : onGitHub(environment, token, event);
}

function onGitLab(environment: Environment, token: string): CommentPlace | undefined {
  // The pipeline of a fork may run in the project of the fork, which has other merge requests.
  const { CI_API_V4_URL: apiURL = '', CI_MERGE_REQUEST_PROJECT_ID: projectId = '' } = environment;
  const { CI_MERGE_REQUEST_IID: iid = '' } = environment;
  return iid === '' ? undefined : { kind: 'GitLab', options: { apiURL, projectId, iid, token } };
}

function onGitHub(environment: Environment, token: string, event: unknown): CommentPlace | undefined {
  const { GITHUB_API_URL: apiURL = '', GITHUB_REPOSITORY: repository = '' } = environment;
  const author = environment['PREVIEW_COMMENT_AUTHOR'] || 'github-actions[bot]';
  const number = numberOf(event);
  return number === undefined ? undefined : { kind: 'GitHub', options: { apiURL, repository, number, token, author } };
}

function numberOf(event: unknown): number | undefined {
  if (typeof event !== 'object' || event === null || !('pull_request' in event)) return undefined;
  const { pull_request: pull } = event;
  if (typeof pull !== 'object' || pull === null || !('number' in pull)) return undefined;
  return typeof pull.number === 'number' ? pull.number : undefined;
}

function readSwitch(environment: Environment, name: string, fallback: boolean): boolean {
  const text = environment[name]?.trim() ?? '';
  if (text === '') return fallback;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`${name} is "${text}": write true or false`);
}

function linesOf(text = ''): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
