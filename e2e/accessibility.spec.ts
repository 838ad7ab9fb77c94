import type { Locator, Page } from '@playwright/test'
import { accountApi } from '@slipway/contract'
import { expectAccessible, expectFits, walk } from './a11y.ts'
import { enrol, expect, test } from './fixtures.ts'
import { newPublicKey } from './person.ts'
import { furnish, type House, type Place } from './places.ts'

/** Made once for this file. */
let house: House

test.beforeAll(async ({ server, playwright }) => {
  house = await furnish(server, playwright.request)
})

/** Goes to a place and waits until it shows what it is about. */
async function enter(page: Page, { who, path, open }: Place): Promise<Locator | undefined> {
  await page.context().clearCookies()
  await page.context().addCookies(house.cookies[who])
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText(/^(Loading|Counting|Checking|Verifying).*\.\.\.$/)).toHaveCount(0)
  const surface = await open?.(page)
  if (surface) await expect(surface).toBeVisible()
  return surface
}

const isMenu = async (surface: Locator | undefined) =>
  surface !== undefined && ['menu', 'listbox'].includes((await surface.getAttribute('role')) ?? '')

// Each of them looks at every place.
test.describe('every page, dialog and menu', () => {
  test.describe.configure({ timeout: 600_000 })

  test('gives axe nothing to complain about, in light and in dark', async ({ page }) => {
    for (const place of house.places) {
      await test.step(place.name, async () => {
        await page.setViewportSize({ width: place.narrow ? 375 : 1280, height: 800 })
        const surface = await enter(page, place)
        // A menu hangs at the end of the page, outside of all landmarks, and is all there is while it is open.
        await expectAccessible(page, { except: (await isMenu(surface)) ? ['region'] : [] })
      })
    }
  })

  test('fits on a narrow phone, whatever the names', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    for (const place of house.places) {
      await test.step(place.name, async () => {
        await enter(page, place)
        await expectFits(page)
      })
    }
  })

  test.describe('on a screen magnified four times', () => {
    test.use({ viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 })

    test('fits, and shows all that the keyboard reaches', async ({ page }) => {
      for (const place of house.places) {
        await test.step(place.name, async () => {
          const surface = await enter(page, place)
          await expectFits(page)
          const met = await walk(page, (await isMenu(surface)) ? 'ArrowDown' : 'Tab')
          expect(met.length).toBeGreaterThan(0)
        })
      }
    })
  })
})

test('the whole main job is done by keyboard alone', async ({ page, person, call, server }) => {
  await enrol(call, person)
  const { searchParams } = new URL(await server.mailedLink(person.email, 'verify-email'), server.url)
  await call(accountApi.verifyEmail, { body: { token: searchParams.get('token') ?? '' } })

  const { keyboard } = page
  const reach = async (target: Locator) => {
    await expect(target).toBeVisible()
    for (let tabs = 0; tabs < 80; tabs++) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await keyboard.press('Tab')
    }
    throw new Error(`The keyboard does not reach ${target}`)
  }
  const press = async (target: Locator, key = 'Enter') => {
    await reach(target)
    await keyboard.press(key)
  }
  const write = async (target: Locator, text: string) => {
    await reach(target)
    await keyboard.type(text)
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const link = (name: string) => page.getByRole('link', { name, exact: true })

  await page.goto('/signin')
  await write(page.getByLabel('E-mail'), person.email)
  await write(page.getByLabel('Password', { exact: true }), person.password)
  await press(button('Sign In'))

  await write(page.getByLabel('Project Name'), 'Engines')
  await press(button('Create Project'))
  await expect(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()

  await press(link('Templates'))
  await press(link('Use This Template: Starter Linux'))
  await write(page.getByLabel('Name', { exact: true }), 'engine')
  await press(link('Manage SSH Keys'))
  await press(button('Add SSH Key').last())
  const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
  await write(dialog.getByLabel('Name'), 'Laptop')
  await write(dialog.getByLabel('Public key'), newPublicKey())
  await press(dialog.getByRole('checkbox', { name: 'Use as default key' }), 'Space')
  await press(dialog.getByRole('button', { name: 'Add SSH Key' }))
  await expect(dialog).toBeHidden()
  await press(button('Back'))

  const template = page.getByRole('combobox', { name: 'Template' })
  await press(template)
  await expect(page.getByRole('option', { name: 'Starter Linux' })).toBeFocused()
  await keyboard.press('Enter')
  await expect(template).toBeFocused()
  await press(page.getByRole('button', { name: 'Create VM' }))
  await expect(page).toHaveURL('/')

  await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'VMs' }))
  const card = page.getByRole('article', { name: 'engine' })
  await expect(card.getByText('Running', { exact: true })).toBeVisible()
  const more = button('More actions for engine')
  await press(more)
  await expect(page.getByRole('menuitem', { name: 'View Details' })).toBeFocused()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  const ssh = page.getByRole('dialog', { name: 'SSH Connect' })
  await expect(ssh).toContainText('ssh root@')
  await press(ssh.getByRole('button', { name: 'Copy SSH connection string' }))
  await expect(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
  await keyboard.press('Escape')
  await expect(ssh).toBeHidden()
  await expect(more).toBeFocused()

  await press(card.getByRole('button', { name: 'Stop', exact: true }))
  await expect(card.getByText('Stopped', { exact: true })).toBeVisible()
  await press(more)
  await expect(page.getByRole('menuitem', { name: 'View Details' })).toBeFocused()
  await keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Delete VM' })).toBeFocused()
  await keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete VM' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await press(question.getByRole('button', { name: 'Delete VM' }))
  await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
})
