// A time on the page: absolute, in UTC, for comparing it with logs, and how far away it is.
import { formatTimestamp } from '../../lib/timestamp.ts';
import { markup, type Markup } from './markup.ts';

/** `at`: RFC 3339; any other text is shown as it is. `nowMs`: milliseconds since 1970. */
export function timeText(at: string, nowMs: number): Markup {
  const atMs = Date.parse(at);
  if (Number.isNaN(atMs)) return markup`${at}`;
  const time = formatTimestamp(atMs);
  return markup`<time datetime="${time}">${time}</time> <span class="quiet">(${distanceOf(atMs - nowMs)})</span>`;
}

/** `5 min ago`, `in 3 days`. Rounded down. */
function distanceOf(aheadMs: number): string {
  const length = lengthOf(Math.abs(aheadMs));
  if (length === undefined) return 'now';
  return aheadMs > 0 ? `in ${length}` : `${length} ago`;
}

/** Undefined below a minute. */
function lengthOf(ms: number): string | undefined {
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return undefined;
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
