// The response with one page: its bytes, its ETag and, where the client asks for it, its gzip form. They are made once for a page and
// kept for as long as the cache keeps the page, so that a list of an unchanged scope only hands bytes to the socket.
import { hash } from 'node:crypto';
import { gzip } from 'node:zlib';

import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { acceptsGzip, allowsTag, includesTag } from '../http/content-negotiation.ts';
import { emptyResponse, headerOf, jsonResponse, type ServiceRequest, type ServiceResponse } from '../http/message.ts';
import { errorResponse } from '../http/service-errors.ts';
import type { StoredPage } from './alert-store.ts';

/** Smaller bodies are a handful of packets either way, so they are never compressed. */
export const compressedFromBytes = 8192;

/** Node writes a text together with its headers, and bytes beside them; for a small page that saves more than encoding the text costs. */
const textUpToBytes = 4096;

/** Pages that are compressed at the same time. Further ones are sent as they are, because every client accepts that. */
const compressionsAtOnce = 2;

/** The response with `page`. `link` is its nextLink, absent on the last page. */
export type PageResponses = (
  page: StoredPage,
  link: string | undefined,
  request: ServiceRequest,
) => MaybePromise<ServiceResponse>;

export function createPageResponses(): PageResponses {
  const byPage = new WeakMap<StoredPage, PageForms>();
  const compression = { running: 0 };
  return (page, link, request) => {
    const known = byPage.get(page);
    if (known?.link === link && known) return known.answer(request);
    const forms = new PageForms(page, link, compression);
    byPage.set(page, forms);
    return forms.answer(request);
  };
}

/** A page with one nextLink. Clients that use another host or spelling get forms of their own. */
class PageForms {
  readonly link: string | undefined;
  readonly #compression: { running: number };
  readonly #tag: string;
  readonly #body: Buffer;
  readonly #whole: ServiceResponse;
  #compressed: MaybePromise<ServiceResponse> | undefined;

  constructor(page: StoredPage, link: string | undefined, compression: { running: number }) {
    this.link = link;
    this.#compression = compression;
    const text = link === undefined ? `{"value":[${page.text}]}` : withLink(page, link);
    this.#body = bytesOf(text);
    this.#tag = hash('sha256', this.#body, 'base64url').slice(0, tagCharacters);
    const isAscii = this.#body.length === text.length;
    const isSentAsText = isAscii && text.length <= textUpToBytes;
    this.#whole = jsonResponse(200, isSentAsText ? text : this.#body, this.#headers(this.#tag));
  }

  answer(request: ServiceRequest): MaybePromise<ServiceResponse> {
    const { headers } = request;
    const isCompressed = this.#isLarge && acceptsGzip(headerOf(request, 'accept-encoding'));
    const tag = isCompressed ? `${this.#tag}-gzip` : this.#tag;
    if (headers['if-match'] !== undefined && !allowsTag(headerOf(request, 'if-match'), `"${tag}"`)) {
      return errorResponse('PreconditionFailed', 'The page has another entity tag.');
    }
    if (headers['if-none-match'] !== undefined && includesTag(headerOf(request, 'if-none-match'), `"${tag}"`)) {
      return emptyResponse(304, this.#headers(tag));
    }
    return isCompressed ? this.#asCompressed() : this.#whole;
  }

  get #isLarge(): boolean {
    return this.#body.length >= compressedFromBytes;
  }

  #headers(tag: string): Record<string, string> {
    return this.#isLarge ? { etag: `"${tag}"`, vary: 'Accept-Encoding' } : { etag: `"${tag}"` };
  }

  #asCompressed(): MaybePromise<ServiceResponse> {
    if (this.#compressed === undefined && this.#compression.running >= compressionsAtOnce) return this.#whole;
    return (this.#compressed ??= this.#compress());
  }

  async #compress(): Promise<ServiceResponse> {
    this.#compression.running += 1;
    try {
      const body = await gzipped(this.#body);
      const headers = { ...this.#headers(`${this.#tag}-gzip`), 'content-encoding': 'gzip' };
      this.#compressed = jsonResponse(200, body, headers);
    } catch {
      this.#compressed = this.#whole;
    } finally {
      this.#compression.running -= 1;
    }
    return this.#compressed;
  }
}

/** 128 bits. */
const tagCharacters = 22;

function withLink({ text }: StoredPage, link: string): string {
  return `{"value":[${text}],"nextLink":${JSON.stringify(link)}}`;
}

/** Bytes of their own: `Buffer.from` would keep a shared block of 64 KiB in memory for each small page. */
function bytesOf(text: string): Buffer {
  return Buffer.from(new TextEncoder().encode(text).buffer);
}

/** On a thread of its own. */
function gzipped(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(body, (error, compressed) => (error ? reject(error) : resolve(compressed)));
  });
}
