import { existsSync, readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { test } from './measured.ts'

/**
 * Pictures of whole pages, compared with those that are committed in e2e/screenshots. They are small and coarse on
 * purpose: a quarter of the size makes letters grey, so that fonts do not count, while whatever moved, is missing or has
 * another colour does. Text with digits (times, ids, addresses, usage) is different in every run and is left out.
 */

const scale = 0.25
/** Of a page that is longer the rest is left out. */
const maxHeight = 2_400
/**
 * The share of pixels that differs between two runs of the same code is below 1 %, where nothing changed by itself. A page
 * of the console that moved down by 20 pixels has more than 2 %: that is said. Only a page that is another one altogether
 * fails, because what a server is doing may change a page between two looks at it.
 */
const asBefore = { threshold: 0.1, maxDiffPixelRatio: 0.02 }
const sameAtAll = { threshold: 0.1, maxDiffPixelRatio: 0.15 }

export type Look = 'light' | 'dark' | 'phone'

/** Makes what differs from run to run invisible, and leaves its place. */
async function hideVolatile(page: Page): Promise<void> {
  await page.evaluate(() => {
    const volatile = /\d|\bago\b|\bnow\b|yesterday|today/i
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement && volatile.test(node.nodeValue ?? ''))
        node.parentElement.style.setProperty('color', 'transparent', 'important')
    }
    for (const drawn of document.querySelectorAll<HTMLElement>(
      'canvas, svg[preserveAspectRatio=none], [role=progressbar], [role=img], .xterm',
    ))
      drawn.style.setProperty('visibility', 'hidden', 'important')
    if (document.getElementById('still')) return
    const style = document.createElement('style')
    style.id = 'still'
    style.textContent =
      '* { animation: none !important; transition: none !important; caret-color: transparent !important }'
    document.head.append(style)
  })
}

/** Width and height of a PNG file, which stand behind its signature. */
function sizeOf(path: string): { width: number; height: number } {
  const bytes = readFileSync(path)
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

const missing = new Set<string>()
const different = new Set<string>()

/**
 * Expects a place to look as it does in its committed picture. Without one it is only noted; `npm run screenshots`
 * writes them. `isWhole` takes what lies below the screen as well.
 */
export async function expectLook(
  page: Page,
  place: string,
  look: Look,
  { isWhole }: { isWhole: boolean },
): Promise<void> {
  const name = `${place.replaceAll(/\W+/g, '-')}-${look}.png`
  const committed = test.info().snapshotPath(name)
  const isUpdate = ['all', 'changed'].includes(test.info().config.updateSnapshots)
  if (!isUpdate && !existsSync(committed)) return void missing.add(name)
  await hideVolatile(page)
  const screen = await page.evaluate(() => ({
    width: innerWidth,
    height: innerHeight,
    whole: document.documentElement.scrollHeight,
    scrolled: scrollY,
  }))
  // A picture of the same size as the committed one: where a page grew, what moved is seen all the same.
  const height = isUpdate
    ? Math.min(isWhole ? screen.whole : screen.height, maxHeight)
    : sizeOf(committed).height / scale
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    // Where the page is scrolled, what lies over it is at that place.
    clip: { x: 0, y: isWhole ? 0 : screen.scrolled, width: screen.width, height, scale },
    captureBeyondViewport: isWhole,
  })
  await session.detach()
  const picture = Buffer.from(data, 'base64')
  try {
    expect(picture).toMatchSnapshot(name, asBefore)
  } catch {
    different.add(name)
    expect.soft(picture, `the look of ${place}`).toMatchSnapshot(name, sameAtAll)
  }
}

/** Says which places look different, and how many have no picture yet. */
export function reportLooks(): void {
  for (const name of different) console.log(`LOOKS DIFFERENT: ${name}, see e2e/test-results`)
  if (missing.size > 0)
    console.log(`NOT COMPARED: ${missing.size} looks have no picture yet; "npm run screenshots" writes them.`)
}
