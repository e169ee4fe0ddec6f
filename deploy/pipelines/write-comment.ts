// Writes one comment and keeps it up to date: a pull request never has two of the same preview.
import { isMarked, markedText } from './comment-text.ts';
import type { Forge, PostedComment } from './forge.ts';

/** Beyond so many comments it writes a new one. */
const mostPages = 50;

/** `id`: identifies the comment among those of one pull request. */
export async function writeComment(forge: Forge, id: string, text: string): Promise<'created' | 'updated' | 'unchanged'> {
  const body = markedText(id, text, forge.limit);
  const found = await findComment(forge, id);
  if (!found) {
    await forge.create(body);
    return 'created';
  }
  if (found.body.replaceAll('\r\n', '\n').trimEnd() === body.trimEnd()) return 'unchanged';
  await forge.update(found.id, body);
  return 'updated';
}

async function findComment(forge: Forge, id: string): Promise<PostedComment | undefined> {
  for (let page = 1; page <= mostPages; page++) {
    const { comments, hasMore } = await forge.list(page);
    const found = comments.find(({ body }) => isMarked(id, body));
    if (found || !hasMore) return found;
  }
  return undefined;
}
