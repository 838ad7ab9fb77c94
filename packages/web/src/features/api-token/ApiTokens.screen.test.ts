import { type ApiToken, apiTokenApi, apiTokenTexts } from '@slipway/contract'
import { expect } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { press, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText } from '../../screen/shown.test-kit.ts'

const section = page.getByRole('region', { name: 'API tokens' })
const rows = section.getByRole('listitem')
const dialog = (name: string) => page.getByRole('dialog', { name })

async function openForm(): Promise<Locator> {
  await section.getByRole('button', { name: 'Create Token' }).click()
  return dialog('Create API Token')
}

test('the page is reached by the menu of the user, and the form by the keyboard', async ({ user: _ }) => {
  await visit('/templates')
  await page.getByRole('button', { name: /^AL/ }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  await expect.element(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible()
  await press(section.getByRole('button', { name: 'Create Token' }), '{Enter}')
  const form = dialog('Create API Token')
  await press(form.getByLabelText('Name'), 'ci')
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog('API Token Created')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expectCount(rows, 1)
})

test('a form with something in it asks before it is left', async ({ user: _ }) => {
  await visit('/account')
  const form = await openForm()
  await form.getByLabelText('Name').fill('half')
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByRole('alertdialog')).toBeVisible()
})

test('tells expired tokens and deleted projects, and says why one could not be created', async ({
  user: _,
}) => {
  const old: ApiToken = {
    id: 'old',
    name: 'old',
    access: 'read',
    project_ids: ['gone'],
    created_at: '2024-01-01T00:00:00.000Z',
    expires_at: '2024-02-01T00:00:00.000Z',
    last_used_at: '2024-01-20T00:00:00.000Z',
  }
  answer(apiTokenApi.list, 200, [old])
  await visit('/account')
  await expectText(rows, 'Read · None of your projects', 'Expired Feb 1, 2024', 'Last used Jan 20, 2024')
  answer(apiTokenApi.create, 409, { message: apiTokenTexts.tooMany })
  const form = await openForm()
  await form.getByLabelText('Name').fill('one more')
  await form.getByRole('button', { name: 'Create Token' }).click()
  await expect.element(form.getByText(apiTokenTexts.tooMany)).toBeVisible()
})
