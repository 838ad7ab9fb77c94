import { accountApi, vmApi } from '@slipway/contract'
import {
  diskCreatePath,
  diskListPath,
  diskSnapshotCreatePath,
  diskSnapshotListPath,
  snapshotCreatePath,
  snapshotListPath,
} from '@slipway/e2e/paths'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { fillSignUp, newPerson } from '../features/account/account.test-kit.ts'
import { answer, callsOf } from '../screen/network.test-kit.ts'
import { address, back, follow, press, templateId, test, visit } from '../screen/screen.test-kit.ts'
import { dismissToasts, expectText, expectTexts, toasts } from '../screen/shown.test-kit.ts'

/** What every form does, shown on one of each kind: a page and a dialog. */

const createPath = `/create?template=${templateId}`
const failure = 'Failed to create VM. Please try again.'
const nameOf = () => page.getByLabelText('Name', { exact: true })
const submitOf = () => page.getByRole('button', { name: 'Create VM' })
const questionOf = () => page.getByRole('alertdialog', { name: 'Discard what you entered?' })

test('Enter that ends a composition sends nothing; the next one does', async ({ project: _, sshKey: __ }) => {
  const calls = callsOf(vmApi.create)
  await visit(createPath)
  await nameOf().fill('計算機')
  await expect.element(submitOf()).not.toHaveAttribute('aria-disabled', 'true')
  for (const composing of [{ isComposing: true }, { keyCode: 229 }])
    nameOf()
      .element()
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, ...composing }))
  await expect.element(submitOf()).not.toHaveAttribute('aria-disabled', 'true')
  expect(calls).toEqual([])
  await press(nameOf(), '{Enter}')
  await expect.poll(address).toBe('/')
  expect(calls).toHaveLength(1)
})

for (const [form, back, list] of [
  [diskCreatePath, 'Back to Disks', diskListPath],
  [diskSnapshotCreatePath, 'Back to Disk Snapshots', diskSnapshotListPath],
  [snapshotCreatePath, 'Back to Snapshots', snapshotListPath],
] as const)
  test(`Cancel leads back to the list, and so does ${back}`, async ({ project }) => {
    for (const name of [back, 'Cancel']) {
      await visit(form(project.id))
      await follow(page.getByRole('link', { name }), list(project.id))
    }
  })

test('a page asks before a link, Back or a reload takes what was typed', async ({ user: _ }) => {
  await visit('/templates')
  await follow(page.getByRole('link', { name: 'Use This Template: Starter Linux' }), createPath)
  // Nothing is typed yet, so nothing is asked.
  await back()
  await expect.poll(address).toBe('/templates')
  history.forward()
  await nameOf().fill('engine')
  const leaving = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(leaving)
  expect(leaving.defaultPrevented).toBe(true)
  await page.getByRole('link', { name: 'Projects', exact: true }).first().click()
  await questionOf().getByRole('button', { name: 'Keep Editing' }).click()
  await expect.element(questionOf()).not.toBeInTheDocument()
  await expect.poll(address).toBe(createPath)
  await expect.element(nameOf()).toHaveValue('engine')
  await back()
  await follow(questionOf().getByRole('button', { name: 'Discard' }), '/templates')
  // Cancel says what it does.
  await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
  await nameOf().fill('engine')
  await follow(page.getByRole('link', { name: 'Cancel' }), '/')
})
test('a dialog asks before Escape takes what was typed', async ({ user: _ }) => {
  await visit('/ssh-keys')
  const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
  await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
  const name = dialog.getByLabelText('Name')
  await name.fill('Laptop')
  await press(name, '{Escape}')
  await questionOf().getByRole('button', { name: 'Keep Editing' }).click()
  await expect.element(name).toHaveValue('Laptop')
  await press(name, '{Escape}')
  await questionOf().getByRole('button', { name: 'Discard' }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
  await expect.element(name).toHaveValue('')
  // Nothing is typed, so nothing is asked.
  await press(name, '{Escape}')
  await expect.element(dialog).not.toBeInTheDocument()
})
test('Cancel of a dialog asks nothing, however long the browser takes to go back', async ({
  project,
  sshKey: _,
  addDisk,
}) => {
  const go = history.go.bind(history)
  const late = vi.spyOn(history, 'go').mockImplementation((delta) => void setTimeout(() => go(delta), 200))
  onTestFinished(() => void late.mockRestore())
  await addDisk('ledger')
  const list = diskListPath(project.id)
  await visit(list)
  const opener = page.getByRole('article').getByRole('button', { name: 'Create VM' })
  await opener.click()
  await page.getByRole('dialog').getByLabelText('VM Name').fill('engine')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  // Nothing lies over the page any more.
  await expect.element(opener).toHaveFocus()
  await expect.poll(address).toBe(list)
})
test('Close asks as well, where a dialog holds a form among other things', async ({ project: _ }) => {
  await visit('/')
  await page.getByRole('button', { name: 'Manage Projects' }).click()
  const dialog = page.getByRole('dialog', { name: 'Manage Projects' })
  await dialog.getByLabelText('Project Name').fill('Looms')
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await questionOf().getByRole('button', { name: 'Keep Editing' }).click()
  await expect.element(dialog.getByLabelText('Project Name')).toHaveValue('Looms')
})
test('the error of a failed try stays at the foot of the form until the next one', async ({
  project: _,
  sshKey: __,
}) => {
  await visit(createPath)
  await nameOf().fill('engine')
  const { end } = answer(vmApi.create, 409, { message: 'This project is full' })
  await submitOf().click()
  await expectText(toasts().getByRole('alert'), failure)
  await end()
  await dismissToasts()
  const error = page.getByRole('form').getByText(`${failure} This project is full`)
  await expect.element(error).toBeVisible()
  await nameOf().fill('sieve')
  await expect.element(error).toBeVisible()
  await submitOf().click()
  await expect.poll(address).toBe('/')
})
test('a try after a lost answer has the same idempotency key, another VM another one', async ({
  project: _,
  sshKey: __,
}) => {
  const calls = callsOf(vmApi.create)
  const keys = () => calls.map((one) => one.headers.get('idempotency-key'))
  await visit(createPath)
  await nameOf().fill('engine')
  const { end } = answer(vmApi.create, null)
  await submitOf().click()
  await expect.element(page.getByRole('form').getByText(failure)).toBeVisible()
  await end()
  await submitOf().click()
  await expect.poll(address).toBe('/')
  expect(new Set(keys()).size).toBe(1)
  expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/)
  await visit(createPath)
  await nameOf().fill('engine')
  await submitOf().click()
  await expect.poll(address).toBe('/')
  expect(new Set(keys()).size).toBe(2)
})
describe('the forms of an account do the same', () => {
  test('sign-up asks before it is left, and keeps its error until the next try', async () => {
    await visit('/signup')
    const person = newPerson()
    await fillSignUp(person)
    const name = page.getByLabelText('First name')
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).click()
    await follow(questionOf().getByRole('button', { name: 'Keep Editing' }), '/signup')
    await expect.element(name).toHaveValue(person.firstName)

    const { end } = answer(accountApi.signUp, 503)
    await press(name, '{Enter}')
    const error = page.getByRole('form', { name: 'Create your account' }).getByRole('alert')
    await expect.element(error).toHaveTextContent('Server error. Please try again later.')
    await name.fill('Augusta')
    await expect.element(error).toBeVisible()
    await end()
    await press(name, '{Enter}')
    await expect.element(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
    // It was sent, so nothing is lost.
    await follow(page.getByRole('link', { name: 'Go to Sign In' }), '/signin')
  })

  test('sign-in says what is missing in its own words, and may be left', async () => {
    const calls = callsOf(accountApi.signIn)
    await visit('/signin')
    const form = page.getByRole('form', { name: 'Sign in' })
    await form.getByRole('button', { name: 'Sign In' }).click()
    await expectTexts(form.getByRole('alert'), [
      'Please enter your email address',
      'Please enter your password',
    ])
    await expect.element(form.getByLabelText('Email')).toHaveFocus()
    expect(calls).toEqual([])
    await form.getByLabelText('Email').fill('ada@example.com')
    await form.getByLabelText('Password', { exact: true }).fill('some')
    await follow(page.getByRole('banner').getByRole('link', { name: 'Sign Up' }), '/signup')
  })

  test('a new password is not lost to a link, but to the one that asks for another link', async () => {
    await visit('/reset-password?token=never-was')
    await page.getByLabelText('New password', { exact: true }).fill('Difference-Engine-1822')
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).click()
    await questionOf().getByRole('button', { name: 'Keep Editing' }).click()
    await page.getByLabelText('Confirm password').fill('Difference-Engine-1822')
    await page.getByRole('button', { name: 'Change Password' }).click()
    await follow(page.getByRole('link', { name: 'Send a new reset link' }), '/forgot-password')
  })
})
