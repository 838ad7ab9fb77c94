import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectFits, walk } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { furnish, type House, type Place } from './places.ts'
import { expectLook, reportLooks } from './screenshots.ts'

// A picture of the page before and after each key takes longer than all checks; each names what it does not like.
test.use({ trace: { mode: 'retain-on-failure', snapshots: false, screenshots: false } })

/** Made once for each part; `E2E_PLACES` leaves only places whose names match it. */
let house: House

test.beforeAll(async ({ server, playwright }) => {
  house = await furnish(server, playwright.request)
  const names = house.places.map(({ name }) => name)
  // Pictures are called after their places.
  expect(names).toEqual([...new Set(names)])
  const wanted = new RegExp(process.env.E2E_PLACES ?? '')
  house.places = house.places.filter(({ name }) => wanted.test(name))
})

test.afterAll(reportLooks)

/** Goes to a place and waits until it shows what it is about. */
async function enter(page: Page, { who, path, prepare, open }: Place): Promise<Locator | undefined> {
  await page.context().clearCookies()
  await page.context().addCookies(house.cookies[who])
  await prepare?.(page)
  // The page before may go somewhere by itself in that moment, which cuts this off.
  await expect(async () => void (await page.goto(path))).toPass()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText(/^(Loading|Counting|Checking|Verifying).*\.\.\.$/)).toHaveCount(0)
  const surface = await open?.(page)
  if (surface) await expect(surface).toBeVisible()
  return surface
}

const isMenu = async (surface: Locator | undefined) =>
  surface !== undefined && ['menu', 'listbox'].includes((await surface.getAttribute('role')) ?? '')

/** The rules that do not fit what is shown. */
async function exceptionsFor(page: Page, surface: Locator | undefined): Promise<string[]> {
  // A menu hangs at the end of the page, outside of all landmarks, and is all there is while it is open. What keeps the focus
  // in it stands in hidden places; axe minds those unless it sees that the page is covered, and it does not where the
  // button of the menu, which is not, is at one of the five points that it looks at.
  if (!(await isMenu(surface))) return []
  // So are the choices that fit a text, but their field keeps the focus, and Tab goes on from it and closes them.
  const typing = (await page.locator('input[role=combobox][aria-expanded=true]').count()) > 0
  return ['region', 'aria-hidden-focus', ...(typing ? ['label-title-only', 'page-has-heading-one'] : [])]
}

/** Gives a page other screens without loading it anew. Playwright says how many dots make a pixel only at the start. */
async function screenOf(page: Page) {
  const session = await page.context().newCDPSession(page)
  return async (width: number, height: number, deviceScaleFactor = 1) => {
    const metrics = { width, height, deviceScaleFactor, mobile: false }
    await session.send('Emulation.setDeviceMetricsOverride', metrics)
    // What measures itself draws once more.
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    )
  }
}

// Each in a worker of its own, with a house of its own: one after the other they take longer than all other tests.
const parts = 3
test.describe.configure({ mode: 'parallel' })
for (let part = 0; part < parts; part++) {
  test.describe(`part ${part + 1} of ${parts}`, () => {
    test('every page, dialog and menu passes axe, looks as it did, fits on a narrow phone and magnified four times, and shows all that the keyboard reaches', async ({
      page,
    }) => {
      test.setTimeout(900_000)
      const show = await screenOf(page)
      for (const place of house.places.filter(
        (_, index, { length }) => Math.floor((index * parts) / length) === part,
      )) {
        await test.step(place.name, async () => {
          await show(place.narrow ? 375 : 1280, 800)
          const surface = await enter(page, place)
          await expectAccessible(page, { except: await exceptionsFor(page, surface) })
          // What lies over the page stays on the screen.
          const picture = { isWhole: surface === undefined }
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme })
            await expectLook(page, place.name, colorScheme, picture)
          }
          await page.emulateMedia({ colorScheme: null })
          // Scripts, not style sheets, say where it hangs, for the screen on which it opened.
          const isHung = await isMenu(surface)

          await show(360, 740)
          if (isHung) await enter(page, place)
          await expectFits(page)
          await expectLook(page, place.name, 'phone', picture)

          await show(320, 256, 4)
          if (isHung) await enter(page, place)
          await expectFits(page)
          const met = await walk(page, isHung ? 'ArrowDown' : 'Tab')
          expect(met.length).toBeGreaterThan(0)
        })
      }
    })
  })
}
