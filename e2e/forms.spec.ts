import type { Page } from '@playwright/test'
import { accountApi, templateApi, vmApi } from '@slipway/contract'
import { expect, templateId, test } from './fixtures.ts'
import { answer, callsOf } from './network.ts'
import { diskListPath } from './paths.ts'
import { dismissToasts, fillSignUp, toasts } from './sentences.ts'

/** What every form does, shown on one of each kind: a page and a dialog. */

const createPath = `/create?template=${templateId}`
const failure = 'Failed to create VM. Please try again.'
const nameOf = (page: Page) => page.getByLabel('Name', { exact: true })
const submitOf = (page: Page) => page.getByRole('button', { name: 'Create VM' })
const questionOf = (page: Page) => page.getByRole('alertdialog', { name: 'Discard what you entered?' })

test('Enter that ends a composition sends nothing; the next one does', async ({
  page,
  project: _,
  sshKey: __,
}) => {
  const calls = callsOf(page, vmApi.create)
  await page.goto(createPath)
  await nameOf(page).fill('計算機')
  await expect(submitOf(page)).toBeEnabled()
  for (const composing of [{ isComposing: true }, { keyCode: 229 }])
    await nameOf(page).dispatchEvent('keydown', { key: 'Enter', bubbles: true, ...composing })
  await expect(submitOf(page)).toBeEnabled()
  expect(calls).toEqual([])
  await nameOf(page).press('Enter')
  await expect(page).toHaveURL('/')
  expect(calls).toHaveLength(1)
})

test('a page asks before a link, Back or a reload takes what was typed', async ({ page, user: _ }) => {
  await page.goto('/templates')
  await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
  await expect(page).toHaveURL(createPath)
  // Nothing is typed yet, so nothing is asked.
  await page.goBack()
  await expect(page).toHaveURL('/templates')
  await page.goForward()
  await nameOf(page).fill('engine')
  expect(
    await page.evaluate(() => {
      const leaving = new Event('beforeunload', { cancelable: true })
      window.dispatchEvent(leaving)
      return leaving.defaultPrevented
    }),
  ).toBe(true)
  await page.getByRole('link', { name: 'Projects', exact: true }).first().click()
  await questionOf(page).getByRole('button', { name: 'Keep Editing' }).click()
  await expect(questionOf(page)).toBeHidden()
  await expect(page).toHaveURL(createPath)
  await expect(nameOf(page)).toHaveValue('engine')
  await page.goBack()
  await questionOf(page).getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL('/templates')
  // Cancel says what it does.
  await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
  await nameOf(page).fill('engine')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL('/')
})

test('a dialog asks before Escape takes what was typed', async ({ page, user: _ }) => {
  await page.goto('/ssh-keys')
  const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
  await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
  const name = dialog.getByLabel('Name')
  await name.fill('Laptop')
  await name.press('Escape')
  await questionOf(page).getByRole('button', { name: 'Keep Editing' }).click()
  await expect(name).toHaveValue('Laptop')
  await name.press('Escape')
  await questionOf(page).getByRole('button', { name: 'Discard' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
  await expect(name).toHaveValue('')
  // Nothing is typed, so nothing is asked.
  await name.press('Escape')
  await expect(dialog).toBeHidden()
})

test('Cancel of a dialog asks nothing, however long the browser takes to go back', async ({
  page,
  project,
  sshKey: _,
  addDisk,
}) => {
  await page.addInitScript(() => {
    const go = history.go.bind(history)
    history.go = (delta) => void setTimeout(() => go(delta), 200)
  })
  await addDisk('ledger')
  const list = diskListPath(project.id)
  await page.goto(list)
  const opener = page.getByRole('article').getByRole('button', { name: 'Create VM' })
  await opener.click()
  await page.getByRole('dialog').getByLabel('VM Name').fill('engine')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  // Nothing lies over the page any more.
  await expect(opener).toBeFocused()
  await expect(page).toHaveURL(list)
})

test('Close asks as well, where a dialog holds a form among other things', async ({ page, project: _ }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Manage Projects' }).click()
  const dialog = page.getByRole('dialog', { name: 'Manage Projects' })
  await dialog.getByLabel('Project Name').fill('Looms')
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await questionOf(page).getByRole('button', { name: 'Keep Editing' }).click()
  await expect(dialog.getByLabel('Project Name')).toHaveValue('Looms')
})

test('the error of a failed try stays at the foot of the form until the next one', async ({
  page,
  project: _,
  sshKey: __,
}) => {
  await page.goto(createPath)
  await nameOf(page).fill('engine')
  const { end } = await answer(page, vmApi.create, 409, { message: 'This project is full' })
  await submitOf(page).click()
  await expect(toasts(page).getByRole('alert')).toContainText(failure)
  await end()
  await dismissToasts(page)
  const error = page.getByRole('form').getByText(`${failure} This project is full`)
  await expect(error).toBeVisible()
  await nameOf(page).fill('sieve')
  await expect(error).toBeVisible()
  await submitOf(page).click()
  await expect(page).toHaveURL('/')
})

test('a try after a lost answer has the same idempotency key, another VM another one', async ({
  page,
  project: _,
  sshKey: __,
}) => {
  const calls = callsOf(page, vmApi.create)
  const keys = () => calls.map((one) => one.headers()['idempotency-key'])
  await page.goto(createPath)
  await nameOf(page).fill('engine')
  const { end } = await answer(page, vmApi.create, null)
  await submitOf(page).click()
  await expect(page.getByRole('form').getByText(failure)).toBeVisible()
  await end()
  await submitOf(page).click()
  await expect(page).toHaveURL('/')
  expect(new Set(keys()).size).toBe(1)
  expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/)
  await page.goto(createPath)
  await nameOf(page).fill('engine')
  await submitOf(page).click()
  await expect(page).toHaveURL('/')
  expect(new Set(keys()).size).toBe(2)
})

test('a new version of the console waits for a half-filled form', async ({ page, user: _ }) => {
  await page.goto(createPath)
  await nameOf(page).fill('engine')
  await page.evaluate(() => window.dispatchEvent(new Event('vite:preloadError')))
  await expect(page.getByText('A new version of the console is ready.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reload' })).toBeVisible()
  await expect(nameOf(page)).toHaveValue('engine')
})

test('the form for templates keeps what was typed when the server refuses it', async ({ page, user: _ }) => {
  await page.goto('/admin/templates')
  const form = page.getByRole('form', { name: 'Create Template' })
  await form.getByLabel('Name').fill('Compiler')
  await form.getByLabel('Description').fill('For compiling')
  await answer(page, templateApi.create, 500)
  for (const label of ['Default CPU', 'Default memory']) {
    await page.getByRole('combobox', { name: label }).click()
    await page.getByRole('option').first().click()
  }
  await form.getByRole('button', { name: 'Create Template' }).click()
  await expect(form.getByRole('alert')).toHaveText('Failed to create template. Please try again.')
  await page.getByRole('link', { name: 'Templates' }).first().click()
  await expect(questionOf(page)).toBeVisible()
})

test.describe('the forms of an account do the same', () => {
  test('sign-up waits for the end of a composition, and asks before it is left', async ({ page, person }) => {
    const calls = callsOf(page, accountApi.signUp)
    await page.goto('/signup')
    await fillSignUp(page, { ...person, firstName: '愛' })
    const name = page.getByLabel('First name')
    for (const composing of [{ isComposing: true }, { keyCode: 229 }])
      await name.dispatchEvent('keydown', { key: 'Enter', bubbles: true, ...composing })
    expect(calls).toEqual([])
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).click()
    await questionOf(page).getByRole('button', { name: 'Keep Editing' }).click()
    await expect(page).toHaveURL('/signup')
    await expect(name).toHaveValue('愛')

    const { end } = await answer(page, accountApi.signUp, 503)
    await name.press('Enter')
    const error = page.getByRole('form', { name: 'Create your account' }).getByRole('alert')
    await expect(error).toHaveText('Server error. Please try again later.')
    await name.fill('Ada')
    await expect(error).toBeVisible()
    await end()
    await name.press('Enter')
    await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
    // It was sent, so nothing is lost.
    await page.getByRole('link', { name: 'Go to Sign In' }).click()
    await expect(page).toHaveURL('/signin')
  })

  test('sign-in says what is missing in its own words, and may be left', async ({ page, person }) => {
    const calls = callsOf(page, accountApi.signIn)
    await page.goto('/signin')
    const form = page.getByRole('form', { name: 'Sign in' })
    await form.getByRole('button', { name: 'Sign In' }).click()
    await expect(form.getByRole('alert')).toHaveText([
      'Please enter your email address',
      'Please enter your password',
    ])
    await expect(form.getByLabel('Email')).toBeFocused()
    expect(calls).toEqual([])
    await form.getByLabel('Email').fill(person.email)
    await form.getByLabel('Password', { exact: true }).fill('some')
    await page.getByRole('banner').getByRole('link', { name: 'Sign Up' }).click()
    await expect(page).toHaveURL('/signup')
  })

  test('a new password is not lost to a link, but to the one that asks for another link', async ({
    page,
  }) => {
    await page.goto('/reset-password?token=never-was')
    await page.getByLabel('New password', { exact: true }).fill('Difference-Engine-1822')
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).click()
    await questionOf(page).getByRole('button', { name: 'Keep Editing' }).click()
    await page.getByLabel('Confirm password').fill('Difference-Engine-1822')
    await page.getByRole('button', { name: 'Change Password' }).click()
    await page.getByRole('link', { name: 'Send a new reset link' }).click()
    await expect(page).toHaveURL('/forgot-password')
  })
})
