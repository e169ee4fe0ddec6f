// The text of a comment: a hidden marker, by which a later run finds it, and what is shown.

/** The comment that holds the preview `id`. It is the whole first line of the comment. */
function markerOf(id: string): string {
  return `<!-- rolealerts preview ${id} -->`;
}

/** `limit`: the maximum length of a comment, in UTF-16 units. */
export function markedText(id: string, text: string, limit: number): string {
  return cutText(`${markerOf(id)}\n${text}`, limit, 'a comment');
}

/** At most `limit` UTF-16 units. A longer text is cut at a line and says that it is too long for `place`. */
export function cutText(whole: string, limit: number, place: string): string {
  if (whole.length <= limit) return whole;
  const notice = `\n\nThe rest is too long for ${place}; the log of the job has all of it.\n`;
  const cut = whole.slice(0, limit - notice.length);
  return `${cut.slice(0, cut.lastIndexOf('\n'))}${notice}`;
}

/** True for a comment of this preview. A quotation of it is none, because its marker does not come first. */
export function isMarked(id: string, body: string): boolean {
  return body.split(/\r?\n/, 1)[0] === markerOf(id);
}
