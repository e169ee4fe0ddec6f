// The comments of one pull request of GitHub, or of one merge request of GitLab, through their REST APIs.

export interface PostedComment {
  readonly id: number;
  readonly body: string;
}

/** All methods reject with an `Error` whose message names the fix. */
export interface Forge {
  /** The maximum length of a comment, in UTF-16 units. */
  readonly limit: number;
  /** One page of the comments of this author, the oldest first; pages begin with 1. */
  list(page: number): Promise<{ readonly comments: readonly PostedComment[]; readonly hasMore: boolean }>;
  create(body: string): Promise<void>;
  update(id: number, body: string): Promise<void>;
}

/** Part of the Fetch API. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface GitHubOptions {
  /** For example `https://api.github.com`. */
  readonly apiURL: string;
  /** `OWNER/NAME`. */
  readonly repository: string;
  readonly number: number;
  readonly token: string;
  /** The login of the account of the token. */
  readonly author: string;
}

export interface GitLabOptions {
  /** For example `https://gitlab.com/api/v4`. */
  readonly apiURL: string;
  readonly projectId: string;
  readonly iid: string;
  readonly token: string;
}

const pageSize = 100;
const requestWithinMs = 30_000;

export function openGitHub({ apiURL, repository, number, token, author }: GitHubOptions, fetch: Fetch): Forge {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' };
  const fix = 'give the job the permission "pull-requests: write"';
  const comments = `${apiURL}/repos/${repository}/issues`;
  const send = sender({ headers, fix }, fetch);
  return {
    limit: 65_536,
    async list(page) {
      const found = await send('GET', `${comments}/${number}/comments?per_page=${pageSize}&page=${page}`);
      return pageOf(found, (comment) => memberOf(memberOf(comment, 'user'), 'login') === author);
    },
    async create(body) {
      const posted = await send('POST', `${comments}/${number}/comments`, { body });
      const login = memberOf(memberOf(posted, 'user'), 'login');
      if (typeof login !== 'string' || login === author) return;
      throw new Error(`comment-token belongs to ${login}: set comment-author to that login, or each run adds a comment`);
    },
    async update(id, body) {
      await send('PATCH', `${comments}/comments/${id}`, { body });
    },
  };
}

export function openGitLab({ apiURL, projectId, iid, token }: GitLabOptions, fetch: Fetch): Forge {
  const fix = 'set PREVIEW_COMMENT_TOKEN to a project access token with the scope "api"';
  const send = sender({ headers: { 'private-token': token }, fix }, fetch);
  const notes = `${apiURL}/projects/${encodeURIComponent(projectId)}/merge_requests/${iid}/notes`;
  let user: unknown;
  return {
    limit: 1_000_000,
    async list(page) {
      user ??= memberOf(await send('GET', `${apiURL}/user`), 'id');
      const found = await send('GET', `${notes}?sort=asc&order_by=created_at&per_page=${pageSize}&page=${page}`);
      return pageOf(found, (note) => memberOf(memberOf(note, 'author'), 'id') === user);
    },
    async create(body) {
      await send('POST', notes, { body });
    },
    async update(id, body) {
      await send('PUT', `${notes}/${id}`, { body });
    },
  };
}

type Send = (method: string, url: string, body?: object) => Promise<unknown>;

function sender(options: { readonly headers: Readonly<Record<string, string>>; readonly fix: string }, fetch: Fetch): Send {
  return async (method, url, body) => {
    const response = await fetch(url, {
      method,
      headers: { ...options.headers, 'content-type': 'application/json', 'user-agent': 'rolealerts' },
      redirect: 'error',
      signal: AbortSignal.timeout(requestWithinMs),
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.ok) return response.json();
    const advice = [401, 403, 404].includes(response.status) ? `: ${options.fix}` : '';
    throw new Error(`${method} ${url} was answered with status ${response.status}${advice}`);
  };
}

function pageOf(found: unknown, isOwn: (comment: unknown) => boolean) {
  if (!Array.isArray(found)) throw new Error('the list of comments is not a list: check the URL of the API');
  const comments = found.filter(isOwn).flatMap((comment): PostedComment[] => {
    const [id, body] = [memberOf(comment, 'id'), memberOf(comment, 'body')];
    return typeof id === 'number' && typeof body === 'string' ? [{ id, body }] : [];
  });
  return { comments, hasMore: found.length === pageSize };
}

function memberOf(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null ? Object.entries(json).find(([key]) => key === name)?.[1] : undefined;
}
