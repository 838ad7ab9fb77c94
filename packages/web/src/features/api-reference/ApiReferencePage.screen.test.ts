import { hostApi } from '@slipway/contract'
import { expect } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { back, press, test, visit } from '../../screen/screen.test-kit.ts'

const search = page.getByRole('searchbox', { name: 'Search the API' })

/** The row of a call or of a schema, which folds; null where there is none. */
const rowElement = (id: string) => document.querySelector<HTMLDetailsElement>(`details#${id}`)

/** The same once it is there. */
async function rowOf(id: string): Promise<Locator> {
  await expect.poll(() => rowElement(id), { message: `the row ${id}` }).not.toBeNull()
  return page.elementLocator(rowElement(id) as Element)
}

/** Whether a row is open. Not asked of a locator: what it finds an element by changes as the row unfolds. */
const isOpen = (id: string) => rowElement(id)?.open

/** The row whose summary has the focus. */
const focusedRow = () => document.activeElement?.closest('summary')?.parentElement?.id

test('names lead to their definitions, by mouse, by keyboard and by URL', async ({ user }) => {
  expect(user).toBeDefined()
  await visit('/api-reference?search=start#vmStart')
  await expect.poll(() => isOpen('vmStart')).toBe(true)
  await expect.poll(focusedRow).toBe('vmStart')
  await (await rowOf('vmStart')).getByRole('link', { name: 'Vm', exact: true }).click()
  await expect.poll(() => isOpen('Vm')).toBe(true)
  await expect.poll(focusedRow).toBe('Vm')
  const vm = await rowOf('Vm')
  await expect.element(vm).toBeInViewport()
  await press(vm.getByRole('link', { name: 'VmStatus' }), '{Enter}')
  // Only what is drawn counts as its text.
  await expect.poll(() => rowElement('VmStatus')?.innerText).toContain('"suspended"')
  await expect.poll(() => isOpen('VmStatus')).toBe(true)
  await expect.poll(focusedRow).toBe('VmStatus')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => isOpen('VmStatus')).toBe(false)
  await back()
  await expect.poll(() => location.hash).toBe('#Vm')
  await back()
  await expect.element(search).toHaveValue('start')
})

test('the palette leads to it, and a failure can be tried again', async ({ user }) => {
  expect(user).toBeDefined()
  const failure = answer(hostApi.openApi, 503, { message: 'Not now' })
  await visit('/')
  await page.getByRole('button', { name: 'Find...', exact: false }).first().click()
  await page.getByRole('combobox', { name: 'Find anything' }).fill('api ref')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('Error Loading API Reference')).toBeVisible()
  await failure.end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect.element(await rowOf('projectList')).toBeVisible()
})
