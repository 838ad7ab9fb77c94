/**
 * What tests of screens stand on: the whole console in a browser, against the real API in the process of the tests, with
 * the simulated engine. Each file has a server of its own, each test a person of its own.
 */
import '../styles/main.css'
import { makeClient } from '@slipway/client'
import {
  type CallInput,
  type CallOutput,
  type Disk,
  type DiskCreate,
  diskApi,
  type Endpoint,
  projectApi,
  type QuotaLimits,
  sshKeyApi,
  type Vm,
  type VmCreate,
  type VmStatus,
  vmApi,
} from '@slipway/contract'
import { createElement } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { test as base, expect } from 'vitest'
import { commands, type Locator, page, userEvent } from 'vitest/browser'
import { App } from '../App.tsx'
import { order, queryClient } from '../api/query.ts'
import { askUser, recheckSession, signIn, signOut } from '../api/session.ts'
import { makeRouter } from '../routes.tsx'
import { dismissToast, toastList } from '../ui/toast-list.ts'
import { toServer } from './network.test-kit.ts'

interface Person {
  name: string
  email: string
  password: string
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    openServer: (options?: ServerOptions) => Promise<string>
    closeServer: (id: string) => Promise<void>
    enrol: (id: string, name: string) => Promise<Person & { cookie: string | undefined }>
    signInElsewhere: (
      id: string,
      person: Pick<Person, 'email' | 'password'>,
      userAgent: string,
    ) => Promise<void>
    mailedToken: (id: string, to: string) => Promise<string>
    newPublicKey: () => Promise<string>
    /** A receiver of webhooks on loopback; its address names it. */
    openReceiver: () => Promise<string>
    closeReceiver: (url: string) => Promise<void>
    setReceiver: (url: string, status: number) => Promise<void>
    firstSignature: (url: string, secret: string) => Promise<{ signature: string; isRight: boolean }>
    /** Has the browser find SVG pictures at an origin of elsewhere, by their paths, and nothing else. */
    servePictures: (origin: string, pictures: Record<string, string>) => Promise<void>
    /** The addresses there that it asked for. */
    askedPictures: (origin: string) => Promise<string[]>
  }
}

/** The options of the server's own tests; only those that screens depend on are named here. */
export interface ServerOptions {
  admins?: string[]
  binDays?: number
  /** Hosts that webhooks may be sent to although they are private. */
  privateWebhooks?: string[]
  maxVmsPerProject?: number
  accountQuota?: Partial<QuotaLimits>
  /** How many times faster than life its guests are. */
  speed?: number
}

/** A template that every installation has. */
export const templateId = 'starter'

const client = makeClient({ base: '', timeoutMs: 60_000, transport: (url, sent) => toServer(url, sent) })

export type CallApi = <E extends Endpoint>(endpoint: E, input: CallInput<E>) => Promise<CallOutput<E>>

/** Calls the API as whoever is signed in, past all that a test does to the network; throws when it refuses. */
export const call: CallApi = (endpoint, input) =>
  // The compiler cannot look into CallInput while the endpoint is open.
  (client.call as (id: string, input: unknown) => Promise<never>)(endpoint.id, input)

let root: Root | undefined
let router: ReturnType<typeof makeRouter> | undefined

function leave(): void {
  root?.unmount()
  root = undefined
  // It would go on to listen, and to go where it was about to go.
  router?.dispose()
  router = undefined
  queryClient.clear()
  order.clear()
  for (const { id } of toastList.get()) dismissToast(id)
}

/** Asks who is signed in, and hears of changes from then on, as a page does that is opened. */
async function enter(): Promise<void> {
  const user = await askUser()
  if (typeof user === 'string') await recheckSession()
  else signIn(user, user)
}

/** Opens the console at an address, as who enters it: nothing is loaded yet. */
export async function visit(path: string, state: unknown = null): Promise<void> {
  leave()
  document.body.innerHTML = '<div id="root"></div>'
  history.replaceState(state, '', path)
  await enter()
  root = createRoot(document.body.firstElementChild as HTMLElement)
  router = makeRouter()
  root.render(createElement(App, { router }))
}

/** Opens the console anew where it is. What a navigation brought is still there, as in every browser. */
export const reload = (): Promise<void> => visit(address(), history.state)

/** Goes back as the browser's own button does, and is there then. */
export async function back(): Promise<void> {
  const there = new Promise((resolve) => window.addEventListener('popstate', resolve, { once: true }))
  history.back()
  await there
}

/** Where the console is, without its host. */
export const address = (): string => location.pathname + location.search

const setCookie = (cookie: string): void => {
  // biome-ignore lint/suspicious/noDocumentCookie: the browsers of this test have nothing better on http
  document.cookie = `${cookie}; path=/`
}

/** Asks for an object until it has a status. */
export async function settled<T extends { status: string }>(
  status: T['status'],
  ask: () => Promise<T | undefined>,
): Promise<T> {
  let found: T | undefined
  await expect
    .poll(async () => {
      found = await ask()
      return found?.status
    })
    .toBe(status)
  if (!found) throw new Error(`What was to be ${status} is gone`)
  return found
}

/** `user` is somebody who is signed in, `project` and `sshKey` are their first ones. */
export const test = base
  // For a file whose server is set up otherwise: `test.override` at its top.
  .extend('serverOptions', { scope: 'file' }, (): ServerOptions => ({}))
  // Its name, which the commands of `vitest/browser` take.
  .extend('server', { scope: 'file', auto: true }, async ({ serverOptions }, { onCleanup }) => {
    const id = await commands.openServer(serverOptions)
    setCookie(`test-server=${id}`)
    onCleanup(() => commands.closeServer(id))
    return id
  })
  // Signs somebody in who has an account of their own.
  .extend('signInAs', { auto: true }, ({ server }, { onCleanup }) => {
    onCleanup(async () => {
      leave()
      await signOut()
      localStorage.clear()
      sessionStorage.clear()
      await page.viewport(1280, 800)
    })
    return async (name: string): Promise<Person> => {
      const { cookie, ...person } = await commands.enrol(server, name)
      setCookie(cookie ?? '')
      await recheckSession()
      return person
    }
  })
  .extend('user', ({ signInAs }) => signInAs('Ada Lovelace'))
  .extend('project', ({ user: _ }) =>
    call(projectApi.create, { body: { name: 'Engines', description: 'Brass and steam' } }),
  )
  .extend('sshKey', async ({ user: _ }) =>
    call(sshKeyApi.create, {
      body: { key_name: 'Laptop', ssh_public_key: await commands.newPublicKey() },
    }),
  )
  // Creates a VM in `project` with `sshKey`, and waits for a status if one is given.
  .extend('makeVm', ({ project, sshKey }) => {
    const params = { projectId: project.id }
    return async (name: string, until?: VmStatus, more?: Partial<VmCreate>): Promise<Vm> => {
      const body = { name, template_id: templateId, ssh_key_id: sshKey.id, ...more }
      const vm = await call(vmApi.create, { params, body })
      if (!until) return vm
      return settled(until, () => call(vmApi.get, { params: { ...params, vmId: vm.id } }))
    }
  })
  // Creates a disk in `project`, and waits until it is available; by default a blank one.
  .extend('addDisk', ({ project }) => {
    const params = { projectId: project.id }
    return async (name: string, more?: Partial<DiskCreate>): Promise<Disk> => {
      const body = { name, size: '10Gi', source: 'EMPTY' as const, ...more }
      const { id } = await call(diskApi.create, { params, body })
      return settled('available', async () =>
        (await call(diskApi.list, { params })).find((disk) => disk.id === id),
      )
    }
  })

/** Presses keys in a field as it stands: unlike a click, that leaves alone what is selected there. */
export async function press(field: Locator, keys: string): Promise<void> {
  ;((await field.findElement()) as HTMLElement).focus()
  await userEvent.keyboard(keys)
}

/** Clicks what leads to an address. */
export async function follow(link: Locator, to: string): Promise<void> {
  await link.click()
  await expect.poll(address).toBe(to)
}

/** Clicks a box, and waits until it is ticked, or is so no more. */
export async function tick(box: Locator, isOn = true): Promise<void> {
  await box.click()
  await (isOn ? expect.element(box) : expect.element(box).not).toBeChecked()
}

/** Chooses an entry of a select by its label. */
export async function choose(label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}
