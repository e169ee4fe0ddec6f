// The comment of a pull request: one, found by its marker among the comments of its author, and updated.
import { describe, expect, it } from 'vitest';

import { isMarked, markedText } from '../../../deploy/pipelines/comment-text.ts';
import { type Forge, openGitHub, openGitLab } from '../../../deploy/pipelines/forge.ts';
import { writeComment } from '../../../deploy/pipelines/write-comment.ts';

interface StoredComment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string };
  readonly author: { readonly id: number };
}

/** The comments of one pull request behind the API of either forge. */
class FakeForge {
  readonly comments: StoredComment[] = [];
  readonly requests: string[] = [];
  status = 200;

  readonly fetch = async (url: string, { method = 'GET', body, headers }: RequestInit): Promise<Response> => {
    const { pathname, searchParams, host } = new URL(url);
    const path = decodeURIComponent(pathname).replace(/^\/api\/v4/, '');
    this.requests.push(`${method} ${path}${searchParams.has('page') ? ` page ${searchParams.get('page')}` : ''}`);
    const token = new Headers(headers).get(host.startsWith('gitlab') ? 'private-token' : 'authorization');
    if (!token?.endsWith('secret')) return Response.json({}, { status: 401 });
    if (this.status !== 200) return Response.json({}, { status: this.status });
    const text = typeof body === 'string' ? (JSON.parse(body) as { body: string }).body : '';
    if (path === '/user') return Response.json({ id: 7 });
    if (method === 'GET') return Response.json(this.#page(Number(searchParams.get('page'))));
    if (method === 'POST') {
      this.add(text);
      return Response.json(this.comments.at(-1));
    }
    this.#replace(Number(/\d+$/.exec(path)?.[0]), text);
    return Response.json({});
  };

  add(body: string, isOwn = true): void {
    const user = { login: isOwn ? 'github-actions[bot]' : 'mallory' };
    this.comments.push({ id: this.comments.length + 1, body, user, author: { id: isOwn ? 7 : 8 } });
  }

  #page(page: number): readonly StoredComment[] {
    return this.comments.slice((page - 1) * 100, page * 100);
  }

  #replace(id: number, body: string): void {
    const found = this.comments.find((comment) => comment.id === id);
    if (found) found.body = body;
  }
}

const author = 'github-actions[bot]';
const forges: Readonly<Record<string, (fake: FakeForge) => Forge>> = {
  GitHub: ({ fetch }) =>
    openGitHub({ apiURL: 'https://api.github.test', repository: 'a/b', number: 3, token: 'secret', author }, fetch),
  GitLab: ({ fetch }) =>
    openGitLab({ apiURL: 'https://gitlab.test/api/v4', projectId: 'a/b', iid: '3', token: 'secret' }, fetch),
};

describe.each(Object.entries(forges))('on %s the comment', (name, open) => {
  it('is created once and then updated', async () => {
    const fake = new FakeForge();
    expect(await writeComment(open(fake), 'default', 'one')).toBe('created');
    expect(await writeComment(open(fake), 'default', 'two')).toBe('updated');
    expect(await writeComment(open(fake), 'default', 'two')).toBe('unchanged');
    expect(fake.comments.map(({ body }) => body)).toEqual(['<!-- rolealerts preview default -->\ntwo']);
  });

  it('is found on a later page', async () => {
    const fake = new FakeForge();
    for (let index = 0; index < 250; index++) fake.add(`comment ${index}`, index % 2 === 0);
    await writeComment(open(fake), 'default', 'one');
    for (let index = 0; index < 60; index++) fake.add(`later ${index}`, false);
    expect(await writeComment(open(fake), 'default', 'two')).toBe('updated');
    expect(fake.comments.length).toBe(311);
    expect(fake.requests.filter((request) => request.endsWith(' page 3')).length).toBe(2);
  });

  it('ends its search at the last page, even if that is full', async () => {
    const fake = new FakeForge();
    for (let index = 0; index < 100; index++) fake.add('x');
    expect(await writeComment(open(fake), 'default', 'one')).toBe('created');
  });

  it('is neither that of another preview, nor a quotation, nor one with the marker of another author', async () => {
    const fake = new FakeForge();
    fake.add(markedText('other', 'one', 1000));
    fake.add(`> ${markedText('default', 'one', 1000)}`);
    fake.add(markedText('default', 'forged', 1000), false);
    expect(await writeComment(open(fake), 'default', 'two')).toBe('created');
    expect(fake.comments.length).toBe(4);
    expect(fake.comments[2]?.body).toContain('forged');
  });

  it('is unchanged when the forge rewrites line ends', async () => {
    const fake = new FakeForge();
    fake.add(markedText('default', 'one\ntwo\n', 1000).replaceAll('\n', '\r\n').trimEnd());
    expect(await writeComment(open(fake), 'default', 'one\ntwo\n')).toBe('unchanged');
  });

  it.each([401, 403, 404])('that may not be written is an error that names the fix: %i', async (status) => {
    const fake = new FakeForge();
    fake.status = status;
    const fix = name === 'GitHub' ? 'pull-requests: write' : 'scope "api"';
    await expect(writeComment(open(fake), 'default', 'x')).rejects.toThrow(fix);
  });

  it('that fails at the forge is an error with its status', async () => {
    const fake = new FakeForge();
    fake.status = 502;
    await expect(writeComment(open(fake), 'default', 'x')).rejects.toThrow(/status 502$/);
  });
});

it('a comment of another account than comment-author names the fix, because each run would add one', async () => {
  const { fetch } = new FakeForge();
  const options = { apiURL: 'https://api.github.test', repository: 'a/b', number: 3, token: 'secret' };
  const forge = openGitHub({ ...options, author: 'team-bot[bot]' }, fetch);
  await expect(writeComment(forge, 'default', 'one')).rejects.toThrow(
    'comment-token belongs to github-actions[bot]: set comment-author to that login',
  );
});

describe('the text of a comment', () => {
  it('begins with a marker that Markdown hides', () => {
    const body = markedText('team-a', '### plan\n', 1000);
    expect(body).toBe('<!-- rolealerts preview team-a -->\n### plan\n');
    expect([isMarked('team-a', body), isMarked('team', body)]).toEqual([true, false]);
  });

  it('is cut at a line when it is too long, and says so', () => {
    const line = `${'x'.repeat(99)}\n`;
    const body = markedText('a', line.repeat(20), 1000);
    expect(body.length).toBeLessThanOrEqual(1000);
    expect(body).toMatch(/x{99}\n\nThe rest is too long for a comment; the log of the job has all of it[.]\n$/);
  });
});
