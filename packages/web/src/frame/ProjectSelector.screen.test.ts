import { accountApi, projectApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { selected } from '../features/project/project.test-kit.ts'
import { call, test, visit } from '../screen/screen.test-kit.ts'

describe('the selected project', () => {
  test('is the first one after a sign-in', async ({ user: { email, password } }) => {
    for (const name of ['Engines', 'Looms']) await call(projectApi.create, { body: { name } })
    await call(accountApi.signOut, {})
    await visit('/signin')
    await page.getByLabelText('Email').fill(email)
    await page.getByLabelText('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect.element(selected('Engines')).toBeVisible()
    await expect.element(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
  })
})
