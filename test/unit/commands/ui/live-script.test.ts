// When the script of the live page fetches the page: one request at a time, and none while the page is hidden.
import { runInNewContext } from 'node:vm';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { liveScript } from '../../../../src/commands/ui/live-script.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A browser that shows the page; each request is answered by `answer`. */
function openPage() {
  const document = { hidden: false, getElementById: () => ({ textContent: '' }) };
  const requests: PromiseWithResolvers<object>[] = [];
  const fetch = () => {
    const request = Promise.withResolvers<object>();
    requests.push(request);
    return request.promise;
  };
  const window = { setTimeout };
  runInNewContext(liveScript, { document, window, fetch, AbortSignal, location: {} });
  return {
    requests,
    show: (isShown: boolean) => void (document.hidden = !isShown),
    answer: () => requests.at(-1)?.resolve({ ok: false, text: async () => 'busy' }),
  };
}

test('a page asks two seconds after each answer', async () => {
  const page = openPage();
  await vi.advanceTimersByTimeAsync(2000);
  expect(page.requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(page.requests).toHaveLength(1);
  page.answer();
  await vi.advanceTimersByTimeAsync(2000);
  expect(page.requests).toHaveLength(2);
});

test('a page that is hidden asks nothing, and again once it is shown', async () => {
  const page = openPage();
  page.show(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(page.requests).toEqual([]);
  page.show(true);
  await vi.advanceTimersByTimeAsync(2000);
  expect(page.requests).toHaveLength(1);
});

test('a page that is hidden and shown while an answer is late asks once', async () => {
  const page = openPage();
  await vi.advanceTimersByTimeAsync(2000);
  for (let turn = 0; turn < 20; turn += 1) {
    page.show(false);
    page.show(true);
  }
  await vi.advanceTimersByTimeAsync(30_000);
  expect(page.requests).toHaveLength(1);
});
