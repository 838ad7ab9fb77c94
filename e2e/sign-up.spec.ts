import { projectApi, projectMemberApi, signUpCondition } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { callWith, expect, join, newPerson, test } from './fixtures.ts'
import { fillSignUp } from './sentences.ts'
import { startServer } from './server.ts'

test('where sign-up is closed, pages lead to sign-in only', async ({ page }) => {
  const server = await startServer({ SLIPWAY_SIGN_UP: 'closed' })
  try {
    const signUp = page.getByRole('link', { name: 'Sign Up' })
    await page.goto(server.url)
    await expect(page.getByRole('main').getByRole('link', { name: 'Sign In' })).toBeVisible()
    await expect(signUp).toHaveCount(0)
    await page.goto(`${server.url}/terms`)
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible()
    await expect(signUp).toHaveCount(0)
    await page.goto(`${server.url}/signup`)
    await expect(page.getByText(signUpCondition({ policy: 'closed', domains: [] }) ?? '')).toBeVisible()
    await expect(page.getByRole('textbox')).toHaveCount(0)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Go to Sign In' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
    await expect(signUp).toHaveCount(0)
  } finally {
    await server.stop()
  }
})

test('where domains are named, the form says so, and lets in who is there or invited', async ({
  page,
  playwright,
}) => {
  const server = await startServer({ SLIPWAY_SIGN_UP: 'domains:example.com' })
  const context = await playwright.request.newContext({ baseURL: server.url })
  try {
    const owner = callWith(context)
    await join(owner, server, newPerson())
    const { id: projectId } = await owner(projectApi.create, { body: { name: 'Engines' } })
    const condition = signUpCondition({ policy: 'domains', domains: ['example.com'] }) ?? ''
    const guest = { ...newPerson(), email: 'guest@example.org' }

    await page.goto(`${server.url}/signup`)
    await expect(page.getByText(condition)).toBeVisible()
    await fillSignUp(page, guest)
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expect(page.getByRole('alert')).toHaveText(condition)

    await owner(projectMemberApi.invite, {
      params: { projectId },
      body: { email: guest.email, role: 'viewer' },
    })
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
  } finally {
    await context.dispose()
    await server.stop()
  }
})

test('where an invitation is needed, the form says so', async ({ page }) => {
  const server = await startServer({ SLIPWAY_SIGN_UP: 'invitation' })
  try {
    const condition = signUpCondition({ policy: 'invitation', domains: [] }) ?? ''
    await page.goto(`${server.url}/signup`)
    await expect(page.getByText(condition)).toBeVisible()
    await fillSignUp(page, newPerson())
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expect(page.getByRole('alert')).toHaveText(condition)
  } finally {
    await server.stop()
  }
})
