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
  sshKeyApi,
  type Vm,
  type VmCreate,
  type VmStatus,
  vmApi,
} from '@slipway/contract'
import { createElement } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { test as base, expect } from 'vitest'
import { commands, type Locator, page } from 'vitest/browser'
import { App } from '../App.tsx'
import { order, queryClient } from '../api/query.ts'
import { recheckSession, signOut } from '../api/session.ts'
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
    mailedToken: (id: string, to: string) => Promise<string>
    newPublicKey: () => Promise<string>
  }
}

/** The options of the server's own tests; only those that screens depend on are named here. */
export interface ServerOptions {
  admins?: string[]
  binDays?: number
  maxVmsPerProject?: number
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

function leave(): void {
  root?.unmount()
  root = undefined
  queryClient.clear()
  order.clear()
  for (const { id } of toastList.get()) dismissToast(id)
}

/** Opens the console at an address, as who enters it: nothing is loaded yet. */
export async function visit(path: string): Promise<void> {
  leave()
  document.body.innerHTML = '<div id="root"></div>'
  history.replaceState(null, '', path)
  await recheckSession()
  root = createRoot(document.body.firstElementChild as HTMLElement)
  root.render(createElement(App, { router: makeRouter() }))
}

/** Opens the console anew where it is. */
export const reload = (): Promise<void> => visit(address())

/** Where the console is, without its host. */
export const address = (): string => location.pathname + location.search

const setCookie = (cookie: string): void => {
  // biome-ignore lint/suspicious/noDocumentCookie: the browsers of this test have nothing better on http
  document.cookie = `${cookie}; path=/`
}

/** `user` is somebody who is signed in, `project` and `sshKey` are their first ones. */
export const test = base
  // Its name, which the commands of `vitest/browser` take.
  // biome-ignore lint/correctness/noEmptyPattern: the names of fixtures are read from this pattern
  .extend('server', { scope: 'file', auto: true }, async ({}, { onCleanup }) => {
    const id = await commands.openServer()
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
      let vm = await call(vmApi.create, { params, body })
      if (!until) return vm
      const at = { params: { ...params, vmId: vm.id } }
      await expect
        .poll(async () => {
          vm = await call(vmApi.get, at)
          return vm.status
        })
        .toBe(until)
      return vm
    }
  })
  // Creates a disk in `project`, and waits until it is available; by default a blank one.
  .extend('addDisk', ({ project }) => {
    const params = { projectId: project.id }
    return async (name: string, more?: Partial<DiskCreate>): Promise<Disk> => {
      const body = { name, size: '10Gi', source: 'EMPTY' as const, ...more }
      const { id } = await call(diskApi.create, { params, body })
      let found: Disk | undefined
      await expect
        .poll(async () => {
          found = (await call(diskApi.list, { params })).find((disk) => disk.id === id)
          return found?.status
        })
        .toBe('available')
      if (!found) throw new Error(`The disk ${name} is gone`)
      return found
    }
  })

/** The texts of all that a locator finds, each as it is read. */
export const texts = (locator: Locator): string[] =>
  locator.elements().map((element) => (element.textContent ?? '').replaceAll(/\s+/g, ' ').trim())

/** The stack of messages about what just happened, the newest first. */
export const toasts = (): Locator => page.getByRole('region', { name: 'Notifications' })

/** Waves all messages away, so that the next one is not taken for the last, which may read the same. */
export async function dismissToasts(): Promise<void> {
  const buttons = toasts().getByRole('button', { name: 'Dismiss' })
  for (const button of buttons.elements()) (button as HTMLElement).click()
  await expect.poll(() => buttons.elements()).toEqual([])
}

/** Chooses an entry of a select by its label. */
export async function choose(label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}
