import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from '@playwright/test'
import {
  accountApi,
  apiTokenApi,
  oidcProblemText,
  oidcTexts,
  openSignUp,
  projectApi,
  projectMemberApi,
  proofNeeded,
  proofTexts,
  signInWaysTexts,
} from '@slipway/contract'
import { expectAccessible, expectFits } from './a11y.ts'
import { callWith, expect, join, newPerson, test } from './fixtures.ts'
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts'
import { startServer } from './server.ts'

const office = 'Example Office'

/** Everybody at the provider has an address of their own. */
function personAt({ people }: IdentityProvider, name: string, verified = true) {
  const { email } = newPerson()
  people.set(name, { email, email_verified: verified, name: 'Grace Hopper' })
  return email
}

/** The page of the provider, which knows nothing of the console. */
async function signInThere(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('x')
  await page.getByRole('button', { name: 'Sign-in' }).click()
}

test.describe('where an invitation is needed to sign up', () => {
  const owner = newPerson()
  let dataDir: string
  let provider: IdentityProvider
  let page: Page
  test.beforeEach(async ({ browser, playwright }) => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'slipway-e2e-'))
    // Who invites others came before.
    const open = await startServer({}, dataDir)
    const request = await playwright.request.newContext({ baseURL: open.url })
    await join(callWith(request), open, owner)
    await request.dispose()
    await open.stop()
    provider = await startIdentityProvider({ SLIPWAY_SIGN_UP: 'invitation' }, dataDir)
    const context = await browser.newContext({ baseURL: provider.server.url })
    page = await context.newPage()
    // The page of the provider asks for a font that is not here.
    await page.route('https://fonts.googleapis.com/**', (route) => route.abort())
  })
  test.afterEach(async () => {
    await page.context().close()
    await provider.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  test('a stranger is refused with a sentence, and who is invited joins the project', {
    tag: '@full',
  }, async ({ playwright }) => {
    const context = await playwright.request.newContext({ baseURL: provider.server.url })
    const call = callWith(context)
    const { email: address, password } = owner
    await call(accountApi.signIn, { body: { email: address, password } })
    const { id: projectId } = await call(projectApi.create, { body: { name: 'Engines' } })
    const email = 'guest@elsewhere.test'
    provider.people.set('grace', { email, email_verified: true, name: 'Grace Hopper' })

    await page.goto('/signin')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('button', { name: `Sign in with ${office}` }).click()
    await signInThere(page, 'grace')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
    const rule = { policy: 'invitation', domains: [] } as const
    await expect(page.getByRole('alert')).toHaveText(oidcProblemText('sign_up', office, rule))
    await expectAccessible(page)
    await expectFits(page)

    await call(projectMemberApi.invite, { params: { projectId }, body: { email, role: 'viewer' } })
    await page.goto(await provider.server.mailedLink(email, 'invitation'))
    // The page that the visitor came for is where the provider leads to.
    await page.getByRole('button', { name: `Sign in with ${office}` }).click()
    await page.getByRole('button', { name: 'Join Project' }).click()
    await expect(page).toHaveURL(new RegExp(`/projects/${projectId}/`))
    await context.dispose()
  })
})

test.describe('where everybody may sign up', () => {
  let provider: IdentityProvider
  let page: Page
  test.beforeAll(async () => {
    provider = await startIdentityProvider()
  })
  test.afterAll(() => provider.stop())
  test.beforeEach(async ({ browser }) => {
    const context = await browser.newContext({ baseURL: provider.server.url })
    page = await context.newPage()
    await page.route('https://fonts.googleapis.com/**', (route) => route.abort())
  })
  test.afterEach(() => page.context().close())

  test('the first sign-in creates an account without a password', async () => {
    const email = personAt(provider, 'first')
    await page.goto('/signin')
    await page.getByRole('button', { name: `Sign in with ${office}` }).click()
    await signInThere(page, 'first')
    await expect(page.getByRole('button', { name: 'Grace Hopper' })).toBeVisible()
    await page.goto('/account')
    const linked = page.getByRole('region', { name: 'Linked identities' })
    await expect(linked.getByRole('listitem')).toContainText([email])
    await expect(linked.getByRole('button', { name: `Unlink ${office}` })).toHaveAccessibleDescription(
      signInWaysTexts.last,
    )
    await expect(page.getByRole('region', { name: 'Password' })).toContainText('Your account has no password')
    await expectAccessible(page)
    await expectFits(page)
  })

  test('who has no password is not asked for one, and is told what confirms who they are', {
    tag: '@full',
  }, async () => {
    personAt(provider, 'fifth')
    await page.goto('/signin')
    await page.getByRole('button', { name: `Sign in with ${office}` }).click()
    await signInThere(page, 'fifth')
    await expect(page.getByRole('button', { name: 'Grace Hopper' })).toBeVisible()
    // As ten minutes later.
    await page.route(`**${apiTokenApi.create.path}`, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 403, json: { message: proofTexts.needed, code: proofNeeded } })
        : route.fallback(),
    )
    await page.goto('/account?dialog=create-api-token')
    const form = page.getByRole('dialog', { name: 'Create API Token' })
    await form.getByRole('textbox', { name: 'Name' }).fill('ci')
    await form.getByRole('button', { name: 'Create Token' }).click()
    const question = page.getByRole('dialog', { name: 'Confirm That It Is You' })
    await expect(question.getByRole('status')).toHaveText(
      'Sign out and in again: a sign-in confirms it as well.',
    )
    await expect(question.getByLabel('Your password')).toHaveCount(0)
    await expectAccessible(page)
  })

  test('an identity is linked, signs in, and is unlinked', { tag: '@full' }, async () => {
    personAt(provider, 'second')
    const person = newPerson()
    await join(callWith(page.request), provider.server, person)
    await page.goto('/account')
    const linked = page.getByRole('region', { name: 'Linked identities' })
    await expect(linked.getByRole('button', { name: `Link ${office}` })).toBeVisible()
    await expectAccessible(page)
    await linked.getByRole('button', { name: `Link ${office}` }).click()
    await signInThere(page, 'second')
    await expect(page.getByText(`${office} can now sign you in to your account.`)).toBeVisible()
    await expect(linked.getByRole('listitem')).toHaveCount(1)
    await expectAccessible(page)

    await page.context().clearCookies({ name: 'slipway_session' })
    await page.goto('/signin')
    // The provider still knows who this is.
    await page.getByRole('button', { name: `Sign in with ${office}` }).click()
    await expect(page.getByRole('button', { name: 'Ada Lovelace' })).toBeVisible()

    await page.goto('/account')
    await linked.getByRole('button', { name: `Unlink ${office}` }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Unlink' }).click()
    await expect(linked.getByRole('listitem')).toHaveCount(0)
  })

  test('who gives up there, or has no verified address, is told so', { tag: '@full' }, async () => {
    await page.goto('/signin')
    await page.getByRole('button', { name: `Sign in with ${office}` }).click()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect(page.getByRole('alert')).toHaveText(oidcProblemText('cancelled', office, openSignUp))
    personAt(provider, 'unverified', false)
    await page.getByRole('button', { name: `Sign in with ${office}` }).click()
    await signInThere(page, 'unverified')
    await expect(page.getByRole('alert')).toHaveText(oidcProblemText('unverified_email', office, openSignUp))
  })
})

test('a provider that is away is told of where its button is', { tag: '@full' }, async ({
  page,
  playwright,
}) => {
  const provider = await startIdentityProvider()
  await provider.stopProvider()
  const context = await playwright.request.newContext({ baseURL: provider.server.url })
  try {
    await page.goto(new URL('/signin', provider.server.url).href)
    await page.getByRole('button', { name: `Sign in with ${office}` }).click()
    await expect(page.getByRole('alert')).toHaveText(oidcTexts.away)
    await join(callWith(context), provider.server, newPerson())
    await expectAccessible(page)
  } finally {
    await context.dispose()
    await provider.stop()
  }
})
