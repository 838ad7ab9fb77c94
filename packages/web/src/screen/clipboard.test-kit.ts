/** What the pages copy, and browsers that do not let them. */
import { onTestFinished, vi } from 'vitest'

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

/** Until it is given back, or the test ends, the page lacks what browsers offer on https and localhost only. */
export function browseWithoutClipboard(): { giveBack: () => void } {
  Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })
  const giveBack = () => void Reflect.deleteProperty(navigator, 'clipboard')
  onTestFinished(giveBack)
  return { giveBack }
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
