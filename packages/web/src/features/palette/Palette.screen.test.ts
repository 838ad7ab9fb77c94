import { type SearchHit, searchApi, searchLimit } from '@slipway/contract'
import { vmListPath, vmPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, hold } from '../../screen/network.test-kit.ts'
import { address, press, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, expectTexts } from '../../screen/shown.test-kit.ts'

const paletteOf = () => page.getByRole('dialog', { name: 'Find anything' })
const fieldOf = () => page.getByRole('combobox', { name: 'Find anything' })

/** Letters that come before its field is there belong to the page, and those after Enter to the one that closes. */
async function openPalette(): Promise<void> {
  await expectCount(fieldOf(), 0)
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(fieldOf()).toHaveFocus()
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
  makeVm,
}) => {
  const vm = await makeVm('engine-1', 'running')
  await visit('/templates')
  await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible()
  await openPalette()
  await userEvent.keyboard('gine-1')
  const found = paletteOf().getByRole('option', { name: /engine-1/ })
  await expect.element(found).toHaveAttribute('data-highlighted', '')
  await expectText(found, 'Running')
  expect(found.element().querySelector('mark')?.textContent).toBe('gine-1')
  await expect.element(paletteOf().getByRole('status')).toHaveTextContent('1 object found')
  await userEvent.keyboard('{Enter}')
  await expect.poll(address).toBe(vmPath(vm))
  await expect.element(paletteOf()).not.toBeInTheDocument()

  await openPalette()
  const groups = paletteOf().getByRole('listbox').getByRole('group')
  await expect.element(groups.first()).toHaveAccessibleName('Recent')
  await expectTexts(groups.first().getByRole('option'), ['engine-1'])
  await expect.element(groups.nth(1)).toHaveAccessibleName('VM engine-1')
  await userEvent.keyboard('stop')
  await userEvent.keyboard('{Enter}')
  await expect
    .element(page.getByRole('region', { name: 'Facts' }).getByText('Stopped', { exact: true }))
    .toBeVisible()

  await openPalette()
  await userEvent.keyboard('create disk')
  await userEvent.keyboard('{Enter}')
  await expect.poll(address).toBe(`/projects/${vm.project_id}/disks/create`)
  await openPalette()
  await userEvent.keyboard('dark')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => document.documentElement.className).toMatch(/dark/)
  await openPalette()
  await userEvent.keyboard('vms')
  await userEvent.keyboard('{ArrowDown}')
  await userEvent.keyboard('{ArrowUp}')
  await userEvent.keyboard('{Enter}')
  await expect.poll(address).toBe(vmListPath(vm.project_id))
})
test('it says when nothing matches, when there is more than it shows, and when it cannot ask', async ({
  project,
}) => {
  await visit(vmListPath(project.id))
  const many = answer(
    searchApi.find,
    200,
    Array.from({ length: searchLimit }, (_, i) => hit(`web-${i}`)),
  )
  await page.getByRole('button', { name: 'Find...' }).click()
  await fieldOf().fill('web-')
  const palette = paletteOf()
  await expect
    .element(palette.getByRole('status'))
    .toHaveTextContent('The first 30 results. Type more to narrow them down.')
  await expectCount(palette.getByRole('option'), searchLimit)
  await expectText(palette.getByRole('option').first(), 'Elsewhere')
  await many.end()
  const refused = answer(searchApi.find, 500, {})
  await fieldOf().fill('webs')
  await expectText(palette.getByRole('alert'), 'The search failed.')
  await refused.end()
  await palette.getByRole('button', { name: 'Try Again' }).click()
  await expectText(palette, 'Nothing matches "webs".')
  await press(fieldOf(), '{Escape}')
  await expect.element(palette).not.toBeInTheDocument()
  await expect.element(page.getByRole('button', { name: 'Find...' })).toHaveFocus()
})
test('Enter opens what the text means: neither while composing nor a result of the text before', async ({
  makeVm,
}) => {
  const vm = await makeVm('engine-1', 'running')
  const other = await makeVm('gauge-1', 'running')
  await visit(vmListPath(vm.project_id))
  await expect.element(page.getByRole('heading', { name: 'engine-1' })).toBeVisible()
  await userEvent.keyboard('{Control>}k{/Control}')
  const field = fieldOf()
  const enter = { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }
  await field.fill('engine')
  await expect.element(paletteOf().getByRole('option', { name: /engine-1/ })).toBeVisible()
  field.element().dispatchEvent(new KeyboardEvent('keydown', { ...enter, keyCode: 229 }))
  field.element().dispatchEvent(new KeyboardEvent('keydown', enter))
  await expect.element(paletteOf()).toBeVisible()

  // The answer to the new text is held, and Enter comes before it.
  const { letGo } = hold(searchApi.find)
  await field.fill('gauge')
  await userEvent.keyboard('{Enter}')
  await expectCount(paletteOf().getByRole('option', { name: /engine-1/ }), 0)
  await expectText(paletteOf(), 'Searching...')
  letGo()
  await expect.poll(address).toBe(vmPath(other))
  await expect.element(paletteOf()).not.toBeInTheDocument()
})
