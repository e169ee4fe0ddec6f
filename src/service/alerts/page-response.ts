// The response with one page. Its bytes are made once for a page and kept for as long as the cache keeps the page, so that a list of an
// unchanged scope only hands bytes to the socket.
import { jsonResponse, type ServiceResponse } from '../http/message.ts';
import type { StoredPage } from './alert-store.ts';

/** Node writes a text together with its headers, and bytes beside them; for a small page that saves more than encoding the text costs. */
const textUpToBytes = 4096;

/** The response with `page`. `link` is its nextLink, absent on the last page. */
export type PageResponses = (page: StoredPage, link: string | undefined) => ServiceResponse;

export function createPageResponses(): PageResponses {
  const byPage = new WeakMap<StoredPage, { readonly link: string | undefined; readonly response: ServiceResponse }>();
  return (page, link) => {
    const known = byPage.get(page);
    // Clients that use another host or spelling get a response of their own.
    if (known && known.link === link) return known.response;
    const response = respondWith(page, link);
    byPage.set(page, { link, response });
    return response;
  };
}

function respondWith({ text: alerts }: StoredPage, link: string | undefined): ServiceResponse {
  const text =
    link === undefined ? `{"value":[${alerts}]}` : `{"value":[${alerts}],"nextLink":${JSON.stringify(link)}}`;
  const bytes = bytesOf(text);
  const isSentAsText = bytes.length === text.length && text.length <= textUpToBytes;
  return jsonResponse(200, isSentAsText ? text : bytes);
}

/** Bytes of their own: `Buffer.from` would keep a shared block of 64 KiB in memory for each small page. */
function bytesOf(text: string): Buffer {
  return Buffer.from(new TextEncoder().encode(text).buffer);
}
