// The settings of a preview in a pipeline.
import { describe, expect, it } from 'vitest';

import { commentPlace, readSettings } from '../../../deploy/pipelines/settings.ts';

const given = { PREVIEW_PATHS: ' policies/ \n\n more.yaml\n', PREVIEW_ALLOWED_HOSTS: 'alerts.example.net' };

describe('settings', () => {
  it('have defaults, and paths one a line', () => {
    expect(readSettings(given)).toEqual({
      paths: ['policies/', 'more.yaml'],
      isStrict: true,
      plans: true,
      allowedHosts: 'alerts.example.net',
      failsOnChanges: false,
      id: 'default',
    });
  });

  it.each([
    [{ PREVIEW_PATHS: ' ' }, /^no paths: name files/],
    [{ PREVIEW_ALLOWED_HOSTS: '' }, /^no allowed hosts: .* or set plan to false/],
    [{ PREVIEW_STRICT: 'yes' }, 'PREVIEW_STRICT is "yes": write true or false'],
    [{ PREVIEW_ID: 'a-->b' }, /^the id needs/],
  ])('that are wrong name the fix: %j', (change, message) => {
    expect(() => readSettings({ ...given, ...change })).toThrow(message);
  });

  it('need no hosts without a plan', () => {
    expect(readSettings({ ...given, PREVIEW_ALLOWED_HOSTS: '', PREVIEW_PLAN: 'false' })).toMatchObject({
      plans: false,
    });
  });
});

describe('the place of the comment', () => {
  const onGitHub = { PREVIEW_COMMENT_TOKEN: 't', GITHUB_API_URL: 'https://api.github.test', GITHUB_REPOSITORY: 'a/b' };
  // Where the pipeline of a fork runs, there are other merge requests.
  const projects = { CI_PROJECT_ID: '5', CI_MERGE_REQUEST_PROJECT_ID: '4' };
  const onGitLab = { PREVIEW_COMMENT_TOKEN: 't', GITLAB_CI: 'true', CI_API_V4_URL: 'u', ...projects };

  it('is the pull request of the event', () => {
    expect(commentPlace(onGitHub, { pull_request: { number: 3 } })).toEqual({
      kind: 'GitHub',
      options: {
        apiURL: 'https://api.github.test',
        repository: 'a/b',
        number: 3,
        token: 't',
        author: 'github-actions[bot]',
      },
    });
    expect(commentPlace({ ...onGitLab, CI_MERGE_REQUEST_IID: '3' }, undefined)).toEqual({
      kind: 'GitLab',
      options: { apiURL: 'u', projectId: '4', iid: '3', token: 't' },
    });
  });

  it.each([
    ['a push', onGitHub, { ref: 'refs/heads/main' }],
    ['no event', onGitHub, undefined],
    ['a branch pipeline', onGitLab, undefined],
    ['no token', { ...onGitHub, PREVIEW_COMMENT_TOKEN: '' }, { pull_request: { number: 3 } }],
    ['comments that are off', { ...onGitHub, PREVIEW_COMMENT: 'false' }, { pull_request: { number: 3 } }],
  ])('is none with %s', (_, environment, event) => {
    expect(commentPlace(environment, event)).toBeUndefined();
  });
});
