import { accountApi, projectApi, vmApi } from '@slipway/contract'
import { vmListPath } from '@slipway/e2e/paths'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { commands, page } from 'vitest/browser'
import { expectTimeOut, loseSession, trySignIn } from '../features/account/account.test-kit.ts'
import { passTime, stopClock } from '../screen/clock.test-kit.ts'
import { answer, hold, toServer } from '../screen/network.test-kit.ts'
import { address, call, test, visit } from '../screen/screen.test-kit.ts'
import { expectCount, said } from '../screen/shown.test-kit.ts'

const home = 'Instant dev environments on a custom hypervisor'
const account = page.getByRole('button', { name: 'AL Ada Lovelace' })

/** Signs out by the menu, whatever comes of it. */
async function leave(): Promise<void> {
  await account.click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
}

async function signOut(): Promise<void> {
  await leave()
  await expect.element(page.getByRole('heading', { name: home })).toBeVisible()
}

/** The server has no event stream for the pages that are opened from now on, and says so at once. */
function refuseStream(): void {
  vi.stubGlobal('SharedWorker', undefined)
  vi.stubGlobal(
    'EventSource',
    class {
      // As browsers have it that got another answer than a stream.
      readonly readyState = 2
      addEventListener(name: string, listener: (event: Event) => void): void {
        if (name === 'error') queueMicrotask(() => listener(new Event('error')))
      }
      close(): void {}
    },
  )
  onTestFinished(() => void vi.unstubAllGlobals())
}

describe('a session', () => {
  test('ends with Sign Out, and leaves nothing to the next user', async ({ user, server }) => {
    const secret = 'Secret engines'
    await call(projectApi.create, { body: { name: secret } })
    await visit('/projects')
    await expect.element(page.getByRole('heading', { name: secret })).toBeVisible()
    await signOut()
    expect((await toServer(accountApi.me.path)).status).toBe(401)

    const other = await commands.enrol(server, 'Ada Lovelace')
    // Without loading anew, so that what was in memory could still be there.
    const seen: string[] = []
    const observer = new MutationObserver(() => {
      if (document.body.textContent?.includes(secret)) seen.push(location.pathname)
    })
    observer.observe(document.body, { childList: true, subtree: true, characterData: true })
    onTestFinished(() => observer.disconnect())
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).click()
    await trySignIn(other)
    await expect.element(page.getByRole('heading', { name: 'No Projects Found' })).toBeVisible()
    await page.getByRole('link', { name: 'Projects', exact: true }).click()
    await expect.element(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
    await expectCount(said(user.email), 0)
    expect(seen).toEqual([])
  })

  test('ends on the screen even when the server cannot be told', async ({ user: _ }) => {
    const { end } = answer(accountApi.signOut, null)
    await visit('/templates')
    await signOut()
    await expect.poll(address).toBe('/')
    await expect.element(page.getByRole('link', { name: 'Sign In' })).toBeVisible()
    await end()

    // The cookie is still there; now the server keeps silent.
    await visit('/')
    await expect.element(account).toBeVisible()
    await expectTimeOut(accountApi.signOut, leave, ['Signing out...', home])
  })

  test('lost while nobody works leads to sign-in as well', async ({ project }) => {
    refuseStream()
    await stopClock()
    await visit(vmListPath(project.id))
    await expect.element(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    loseSession()
    // It asks twice whether there is a session, and the answers come when they come.
    await expect
      .poll(async () => {
        await passTime(1_000)
        return address()
      })
      .toBe('/signin')
  })

  test('lost while working leads to sign-in and back', async ({ user, project }) => {
    await visit(vmListPath(project.id))
    await expect.element(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    // What the page asks by itself now and then must not tell it first.
    hold(vmApi.list)
    const link = page.getByRole('link', { name: 'Templates' }).element() as HTMLElement
    loseSession()
    link.click()
    await expect.poll(address).toBe('/signin')
    await expect
      .element(page.getByRole('main').getByText('Your session has ended.', { exact: false }))
      .toBeVisible()
    await trySignIn(user)
    await expect.poll(address).toBe('/templates')
    await expect.element(page.getByRole('heading', { name: 'Templates', exact: true })).toBeVisible()
  })
})
