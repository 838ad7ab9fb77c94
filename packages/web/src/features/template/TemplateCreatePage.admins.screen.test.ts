import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { test, visit } from '../../screen/screen.test-kit.ts'
import { describeTemplate, submit } from './template-create.test-kit.ts'

test.override('serverOptions', () => ({ admins: ['grace@example.com'] }))

describe('where administrators are named', () => {
  test('the others see the screen and are told that it is not for them', async ({ user: _ }) => {
    await visit('/')
    await page.getByRole('link', { name: 'Admin' }).click()
    await describeTemplate('Not mine to add')
    await submit().click()
    await expect.element(page.getByRole('alert')).toHaveTextContent('Admin access required')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect.element(page.getByRole('article', { name: 'Starter Linux' })).toBeVisible()
    expect(page.getByRole('article', { name: 'Not mine to add' }).elements()).toEqual([])
  })
})
