/** What the pages copy, and browsers that do not let them. */
import { expect, onTestFinished, vi } from 'vitest'
import type { Locator } from 'vitest/browser'

let last = ''
const write = navigator.clipboard.writeText.bind(navigator.clipboard)
navigator.clipboard.writeText = async (text) => {
  await write(text)
  last = text
}
document.addEventListener('copy', () => {
  last = getSelection()?.toString() ?? ''
})

/** What the page copied last. The clipboard itself belongs to the whole browser, so to files of tests beside this one as well. */
export const copied = async (): Promise<string> => last

/** Clicks what copies a text. */
export async function expectCopied(button: Locator, text: string | null | undefined): Promise<void> {
  await button.click()
  await expect.poll(copied).toBe(text)
}

/** Until the end of the test the page is refused whatever way it copies. */
export function refuseCopies(): void {
  const refused = [
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('refused')),
    vi.spyOn(document, 'execCommand').mockReturnValue(false),
  ]
  onTestFinished(() => {
    for (const one of refused) one.mockRestore()
  })
}
