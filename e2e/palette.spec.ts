import type { Page } from '@playwright/test'
import { type SearchHit, searchApi, searchLimit } from '@slipway/contract'
import { expect, test } from './fixtures.ts'
import { answer, hold } from './network.ts'
import { vmListPath, vmPath } from './paths.ts'

const paletteOf = (page: Page) => page.getByRole('dialog', { name: 'Find anything' })
const fieldOf = (page: Page) => page.getByRole('combobox', { name: 'Find anything' })

/** Letters that come before its field is there belong to the page, and those after Enter to the one that closes. */
async function openPalette(page: Page): Promise<void> {
  await expect(fieldOf(page)).toHaveCount(0)
  await page.keyboard.press('Control+k')
  await expect(fieldOf(page)).toBeFocused()
}

const hit = (name: string, more: Partial<SearchHit> = {}): SearchHit => ({
  kind: 'vm',
  id: name,
  name,
  project_id: 'p',
  project_name: 'Elsewhere',
  status: 'running',
  ...more,
})

test('a few letters lead to a VM, and what one can do with it is found where one is, by keys alone', async ({
  page,
  makeVm,
}) => {
  const vm = await makeVm('engine-1', 'running')
  await page.goto('/templates')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await openPalette(page)
  await page.keyboard.type('gine-1')
  const found = paletteOf(page).getByRole('option', { name: /engine-1/ })
  await expect(found).toHaveAttribute('data-highlighted', '')
  await expect(found).toContainText('Running')
  await expect(found.locator('mark')).toHaveText('gine-1')
  await expect(paletteOf(page).getByRole('status')).toHaveText('1 object found')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(vmPath(vm))
  await expect(paletteOf(page)).toBeHidden()

  await openPalette(page)
  const groups = paletteOf(page).getByRole('listbox').getByRole('group')
  await expect(groups.first()).toHaveAccessibleName('Recent')
  await expect(groups.first().getByRole('option')).toHaveText(['engine-1'])
  await expect(groups.nth(1)).toHaveAccessibleName('VM engine-1')
  await page.keyboard.type('stop')
  await page.keyboard.press('Enter')
  await expect(
    page.getByRole('region', { name: 'Facts' }).getByText('Stopped', { exact: true }),
  ).toBeVisible()

  await openPalette(page)
  await page.keyboard.type('create disk')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/projects/${vm.project_id}/disks/create`)
  await openPalette(page)
  await page.keyboard.type('dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveClass(/dark/)
  await openPalette(page)
  await page.keyboard.type('vms')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(vmListPath(vm.project_id))
})

test('it says when nothing matches, when there is more than it shows, and when it cannot ask', async ({
  page,
  project,
}) => {
  await page.goto(vmListPath(project.id))
  const many = await answer(
    page,
    searchApi.find,
    200,
    Array.from({ length: searchLimit }, (_, i) => hit(`web-${i}`)),
  )
  await page.getByRole('button', { name: 'Find...' }).click()
  await fieldOf(page).fill('web-')
  const palette = paletteOf(page)
  await expect(palette.getByRole('status')).toHaveText('The first 30 results. Type more to narrow them down.')
  await expect(palette.getByRole('option')).toHaveCount(searchLimit)
  await expect(palette.getByRole('option').first()).toContainText('Elsewhere')
  await many.end()
  const refused = await answer(page, searchApi.find, 500, {})
  await fieldOf(page).fill('webs')
  await expect(palette.getByRole('alert')).toContainText('The search failed.')
  await refused.end()
  await palette.getByRole('button', { name: 'Try Again' }).click()
  await expect(palette).toContainText('Nothing matches "webs".')
  await fieldOf(page).focus()
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()
  await expect(page.getByRole('button', { name: 'Find...' })).toBeFocused()
})

test('its keys stay out of other dialogs and of what is typed into a guest', async ({ page, makeVm }) => {
  const vm = await makeVm('engine', 'running')
  await page.goto(vmPath(vm))
  await page.getByRole('button', { name: 'SSH Connect', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'SSH Connect' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(paletteOf(page)).toBeHidden()
  await page.keyboard.press('Escape')
  await page.goto(`${vmPath(vm)}/console`)
  const terminal = page.locator('.xterm textarea')
  await terminal.focus()
  await page.keyboard.press('Control+k')
  await expect(paletteOf(page)).toBeHidden()
  await page.getByRole('link', { name: 'Slipway' }).first().focus()
  await page.keyboard.press('Control+k')
  await expect(paletteOf(page)).toBeVisible()
})

test('Enter opens what the text means: neither while composing nor a result of the text before', async ({
  page,
  makeVm,
}) => {
  const vm = await makeVm('engine-1', 'running')
  const other = await makeVm('gauge-1', 'running')
  await page.goto(vmListPath(vm.project_id))
  await expect(page.getByRole('heading', { name: 'engine-1' })).toBeVisible()
  await page.keyboard.press('Control+k')
  const field = fieldOf(page)
  await field.fill('engine')
  await expect(paletteOf(page).getByRole('option', { name: /engine-1/ })).toBeVisible()
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true, keyCode: 229 })
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  await expect(paletteOf(page)).toBeVisible()

  // The answer to the new text is held, and Enter comes before it.
  const { letGo } = await hold(page, searchApi.find)
  await field.fill('gauge')
  await page.keyboard.press('Enter')
  await expect(paletteOf(page).getByRole('option', { name: /engine-1/ })).toHaveCount(0)
  await expect(paletteOf(page)).toContainText('Searching...')
  letGo()
  await expect(page).toHaveURL(vmPath(other))
  await expect(paletteOf(page)).toBeHidden()
})
