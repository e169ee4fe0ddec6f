// The keyboard of a person on a page: where the focus is, and Tab until it is there.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export interface Focused {
  /** Of a field its name, of a link its text. */
  readonly name: string;
  readonly outline: string;
}

export function focusedOn(page: Page): Promise<Focused> {
  return page.evaluate<Focused>(
    `({ name: document.activeElement.name || document.activeElement.textContent.trim(), outline: getComputedStyle(document.activeElement).outlineStyle })`,
  );
}

/** Presses Tab until the element with this name has the focus. Each one on the way shows where the focus is. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    const element = await focusedOn(page);
    expect(element.outline).not.toBe('none');
    if (element.name === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}
