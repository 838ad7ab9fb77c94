import type { Page } from '@playwright/test'
import { accountApi, formatCpu, formatMemory, templateApi } from '@slipway/contract'
import { expect, test } from './fixtures.ts'
import { trySignIn } from './sentences.ts'
import { startServer } from './server.ts'

const hero = 'Instant dev environments on a custom hypervisor'

/** The pages that show alone, with their headings. */
const alone = [
  ['/', hero],
  ['/signin', 'Sign in'],
  ['/signup', 'Create your account'],
  ['/verify-email', 'Verify your email'],
  ['/forgot-password', 'Forgot your password?'],
  ['/reset-password', 'Choose a new password'],
  ['/privacy', 'Privacy Policy'],
  ['/terms', 'Terms of Service'],
] as const

const title = (page: Page) => page.getByRole('heading', { level: 1 })

test.describe('the landing page', () => {
  test('is what a visitor sees at home, and leads to sign-in and sign-up', async ({ page }) => {
    await page.goto('/')
    await expect(title(page)).toHaveText(hero)
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).click()
    await expect(page).toHaveURL('/signin')
    for (const part of ['banner', 'main'] as const) {
      await page.goto('/')
      await page.getByRole(part).getByRole('link', { name: 'Sign Up' }).click()
      await expect(page).toHaveURL('/signup')
    }
  })

  test('makes four claims', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('definition')).toHaveText(['10 s', '99.9%', '50+', '24/7'])
    await expect(page.getByRole('term')).toHaveText(['Typical boot', 'Uptime', 'Templates', 'Support'])
  })

  test('says beside the claim how long VMs really take to start here', async ({ page }) => {
    await page.route('/', async (route) => {
      const answer = await route.fetch()
      const measured = '&quot;start_time&quot;:{&quot;median_seconds&quot;:0.9,&quot;starts&quot;:50}'
      const body = (await answer.text()).replace('&quot;start_time&quot;:null', measured)
      await route.fulfill({ response: answer, body })
    })
    await page.goto('/')
    await expect(page.getByText('Typical boot').locator('..')).toContainText('10 s')
    await expect(page.getByText('Here: 0.9 s (median of the last 50 starts)')).toBeVisible()
  })

  test('lists eight templates to start from', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('listitem').getByRole('heading')).toHaveText([
      'Node.js with React',
      'Python with Django',
      'Rust',
      'Go',
      'Next.js',
      'Laravel with PHP',
      'Docker with Kubernetes tools',
      'Ubuntu LTS',
    ])
    await expect(page.getByRole('listitem')).toHaveCount(8)
  })

  test('promises the sizes that VMs of these templates get', async ({ page, user: _, call, context }) => {
    const templates = await call(templateApi.list, {})
    await context.clearCookies()
    await page.goto('/')
    await expect(title(page)).toHaveText(hero)
    for (const tile of await page.getByRole('listitem').all()) {
      const name = await tile.getByRole('heading').innerText()
      const template = templates.find((one) => one.name === name)
      const { default_cpu, default_memory_mb } = template ?? { default_cpu: 0, default_memory_mb: 0 }
      await expect(tile).toContainText(`${formatCpu(default_cpu)}, ${formatMemory(default_memory_mb)}`)
    }
  })

  test('leads to the templates by way of sign-in', { tag: '@full' }, async ({ page, user, context }) => {
    for (const name of ['View Templates', 'Browse Templates']) {
      await context.clearCookies()
      await page.goto('/')
      await page.getByRole('link', { name, exact: true }).click()
      await expect(page).toHaveURL('/signin')
      await expect(page.getByRole('main').getByText('Sign in to open this page.')).toBeVisible()
      await trySignIn(page, user)
      await expect(page).toHaveURL('/templates')
      await expect(title(page)).toHaveText('Templates')
    }
  })
})

test.describe('a public page', () => {
  test('opens at its address for visitors, alone with a footer', async ({ page }) => {
    for (const [path, heading] of alone) {
      for (const open of [() => page.goto(path), () => page.reload()]) {
        await open()
        await expect(title(page)).toHaveText(heading)
        await expect(page).toHaveURL(path)
        const footer = page.getByRole('contentinfo')
        await expect(footer).toContainText('Instant development environments on a custom hypervisor.')
        await expect(page.getByRole('complementary', { name: 'Sidebar' })).toHaveCount(0)
        await expect(page.getByRole('button', { name: 'Open menu' })).toHaveCount(0)
      }
    }
  })

  test('opens for users as well, unless it is about getting in', { tag: '@full' }, async ({
    page,
    user: _,
  }) => {
    for (const [path, heading] of alone.slice(3)) {
      await page.goto(path)
      await expect(title(page)).toHaveText(heading)
      await expect(page.getByRole('contentinfo')).toBeVisible()
      await expect(page.getByRole('complementary', { name: 'Sidebar' })).toHaveCount(0)
      await expect(page.getByRole('banner').getByRole('link', { name: 'Dashboard' })).toBeVisible()
    }
    for (const path of ['/signin', '/signup']) {
      await page.goto(path)
      await expect(page).toHaveURL('/')
    }
  })

  test('leads to the contacts that the installation names', { tag: '@full' }, async ({ page }) => {
    const contacts = { support: 'help@harbour.test', legal: 'law@harbour.test', privacy: 'data@harbour.test' }
    const server = await startServer({
      SLIPWAY_PRODUCT_NAME: 'Harbour',
      SLIPWAY_SUPPORT_EMAIL: contacts.support,
      SLIPWAY_LEGAL_EMAIL: contacts.legal,
      SLIPWAY_PRIVACY_EMAIL: contacts.privacy,
    })
    for (const [path] of alone) {
      await page.goto(server.url + path)
      await expect(page.getByRole('banner').getByRole('link', { name: 'Harbour' })).toBeVisible()
      for (const address of Object.values(contacts)) {
        const link = page.getByRole('contentinfo').getByRole('link', { name: address })
        await expect(link).toHaveAttribute('href', `mailto:${address}`)
      }
    }
    const text = page.getByRole('article')
    await expect(text.getByRole('link', { name: contacts.legal })).toBeVisible()
    await expect(text.getByRole('link', { name: contacts.support })).toBeVisible()
    await page.goto(`${server.url}/privacy`)
    await expect(text.getByRole('link', { name: contacts.privacy })).toBeVisible()
    await server.stop()
  })
})

test.describe('a legal page', () => {
  test('says what is collected, why and for how long', async ({ page }) => {
    await page.goto('/privacy')
    await expect(title(page)).toHaveText('Privacy Policy')
    for (const sentence of [
      'This service collects your name, your email address and your password, and nothing else about you.',
      'Analytics need your consent. Nothing is measured before you press Accept',
      'Account data: 30 days after the account is deleted.',
      'Virtual machines and their data: 7 days after deletion.',
      'Analytics data: 26 months.',
      'Security logs: 12 months.',
    ]) {
      await expect(page.getByRole('article')).toContainText(sentence)
    }
  })

  test('says who may use the service and what it does not promise', async ({ page }) => {
    await page.goto('/terms')
    await expect(title(page)).toHaveText('Terms of Service')
    for (const sentence of [
      'You must be 18 years or older.',
      'You must verify your email address before your first sign-in.',
      'We aim at an uptime of 99.9%. This is a goal; it is not guaranteed',
    ]) {
      await expect(page.getByRole('article')).toContainText(sentence)
    }
  })

  test('asks the server for nothing but the session', async ({ page }) => {
    const asked = new Set<string>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) asked.add(pathname)
    })
    for (const path of ['/privacy', '/terms']) {
      await page.goto(path)
      await expect(page.getByRole('contentinfo').getByRole('link', { name: 'support@' })).toBeVisible()
      await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible()
    }
    expect([...asked].sort()).toEqual([accountApi.me.path])
  })
})
