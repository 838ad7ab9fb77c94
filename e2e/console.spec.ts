import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page, WebSocketRoute } from '@playwright/test'
import { accountApi, consoleCloses, projectApi, sshKeyApi, type Vm } from '@slipway/contract'
import { browseWithoutClipboard, copied } from './clipboard.ts'
import { type Call, callWith, join as enter, expect, makeVm, templateId, test } from './fixtures.ts'
import { consolePath, vmListPath } from './paths.ts'
import { newPublicKey } from './person.ts'
import { trySignIn } from './sentences.ts'
import { startServer } from './server.ts'

const consoleOf = (page: Page) => page.getByRole('region', { name: 'Console', exact: true })
/** What the terminal shows. */
const screenOf = (page: Page) => consoleOf(page).locator('.xterm-rows')
const lineOf = (page: Page, text: string) => consoleOf(page).getByText(text, { exact: true })
const fieldOf = (page: Page) => page.getByRole('textbox', { name: 'Serial console' })
const button = (page: Page, name: string) => consoleOf(page).getByRole('button', { name, exact: true })
const more = async (page: Page, entry: string): Promise<Locator> => {
  await button(page, 'More of the console').click()
  return page.getByRole('menuitem', { name: entry })
}
/** Opens a console, and waits until its guest asks for something to do. */
const look = async (page: Page, vm: Vm, path = consolePath(vm)) => {
  await page.goto(path)
  await expect(screenOf(page)).toContainText(`root@${vm.name}:~#`)
}

test('a card leads to the console, where what is typed comes back and a reload keeps the text', async ({
  page,
  project,
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  await page.goto(vmListPath(project.id))
  await page.getByRole('article', { name: vm.name }).getByRole('link', { name: 'Console' }).click()
  await expect(page).toHaveURL(consolePath(vm))
  await expect(page.getByRole('heading', { level: 1, name: 'Console of engine' })).toBeVisible()
  await expect(lineOf(page, 'Connected')).toBeVisible()
  await expect(screenOf(page)).toContainText('The VM started')
  await expect(screenOf(page)).toContainText('root@engine:~#')
  // It has the focus, without a click.
  await expect(fieldOf(page)).toBeFocused()
  await page.keyboard.type('echo Ördnung 42\n')
  await expect(screenOf(page)).toContainText('Ördnung 42root@engine')
  // More than what comes again: what comes begins with a whole line.
  await page.keyboard.type('seq 20000\n')
  await expect(screenOf(page)).toContainText('20000root@engine')
  await page.reload()
  await expect(screenOf(page)).toContainText('1999920000root@engine')
  await fieldOf(page).press('Shift+PageUp')
  await expect(screenOf(page)).not.toContainText('root@engine')
  await page.getByRole('link', { name: vm.name }).click()
  await page.getByRole('link', { name: 'Console', exact: true }).click()
  await expect(screenOf(page)).toContainText('20000root@engine')
})

test('a VM that is stopped and started again stays in sight, with notes between its lines', {
  tag: '@full',
}, async ({ page, makeVm }) => {
  const vm = await makeVm('engine', 'running')
  await look(page, vm)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(lineOf(page, 'VM is off')).toBeVisible()
  await expect(screenOf(page)).toContainText(/── The VM is off, \d\d:\d\d:\d\d ──/)
  await expect(screenOf(page)).toContainText('The VM started')
  await expect(button(page, 'Paste')).toBeDisabled()
  await expect(button(page, 'Paste')).toHaveAccessibleDescription('The console is not connected')

  // Whoever comes now sees its last words, and can wake it.
  await page.goto(consolePath(vm))
  await expect(screenOf(page)).toContainText('root@engine:~#')
  await expect(consoleOf(page).getByRole('status')).toContainText('The VM is off.')
  await consoleOf(page).getByRole('button', { name: 'Start' }).click()
  await expect(lineOf(page, 'Connected')).toBeVisible()
  await expect(screenOf(page)).toContainText(/The VM is off.*The VM started.*root@engine:~#/)
  await expect(fieldOf(page)).toBeFocused()
  await page.keyboard.type('reboot\n')
  await expect(screenOf(page)).toContainText('The guest restarted itself')
})

test('a VM that failed and one that is gone say so', { tag: '@full' }, async ({ page, makeVm }) => {
  const failed = await makeVm('fault-crash', 'failed')
  await page.goto(consolePath(failed))
  await expect(consoleOf(page).getByRole('status')).toContainText('The guest crashed while it was booting')
  await expect(consoleOf(page).getByRole('button', { name: 'Start' })).toHaveCount(0)
  await page.goto(consolePath({ ...failed, id: 'none' }))
  await expect(page.getByRole('heading', { level: 1, name: 'VM not found' })).toBeVisible()
})

test('everybody who looks on is named and sees the same', { tag: '@full' }, async ({
  page,
  context,
  user,
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  const name = `${user.firstName} ${user.lastName}`
  const watching = (on: Page) => consoleOf(on).getByRole('list', { name: 'Watching' }).getByRole('listitem')
  await look(page, vm)
  await expect(watching(page)).toHaveCount(0)
  const opened = context.waitForEvent('page')
  await (await more(page, 'Open in its own window')).click()
  const other = await opened
  await expect(other).toHaveURL(`${consolePath(vm)}/window`)
  await expect(other.getByRole('heading', { level: 1, name: 'Console of engine' })).toBeAttached()
  await expect(watching(page)).toContainText([`${name} (you)`, name])
  await expect(watching(other)).toContainText([name, `${name} (you)`])
  await expect(page.getByText(`${name} is watching this console`)).toBeAttached()
  await expect(screenOf(other)).toContainText('root@engine:~#')
  await fieldOf(other).focus()
  await other.keyboard.type('echo from the other side\n')
  await expect(screenOf(page)).toContainText('from the other sideroot@engine')
  await other.close()
  await expect(watching(page)).toHaveCount(0)
})

test('goes on without a hole or a double when the server was restarted', async ({ browser, person }) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-e2e-'))
  const start = (port = '0') => startServer({ SLIPWAY_SIMULATED_SPEED: '4', SLIPWAY_PORT: port }, dataDir)
  let server = await start()
  const context = await browser.newContext({ baseURL: server.url, timezoneId: 'UTC' })
  try {
    const page = await context.newPage()
    const call = callWith(page.request)
    await enter(call, server, person)
    const vm = await makeOwnVm(call)
    await look(page, vm)
    await page.keyboard.type('echo before\n')
    await expect(screenOf(page)).toContainText('beforeroot@engine')
    const before = (await screenOf(page).textContent())?.trim() ?? ''

    await server.stop()
    await expect(lineOf(page, 'Reconnecting...')).toBeVisible()
    await expect(screenOf(page)).toContainText(before)
    await expect(page.getByText('The console is reconnecting')).toBeAttached()
    server = await start(new URL(server.url).port)
    await expect(lineOf(page, 'Connected')).toBeVisible()
    await page.keyboard.type('echo after\n')
    await expect(screenOf(page)).toContainText('afterroot@engine')
    const after = (await screenOf(page).textContent()) ?? ''
    expect(after.startsWith(before)).toBe(true)
    expect(after.match(/Booting engine/g)).toHaveLength(1)
    expect(after.match(/before/g)).toHaveLength(2)
    expect(after.match(/after/g)).toHaveLength(2)
  } finally {
    await context.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('when the session ends it leads to the sign-in and back', async ({ page, user, makeVm, call }) => {
  const vm = await makeVm('engine', 'running')
  const { promise: line, resolve: onLine } = Promise.withResolvers<WebSocketRoute>()
  await page.routeWebSocket(/\/console$/, (socket) => {
    socket.connectToServer()
    onLine(socket)
  })
  await look(page, vm)
  await call(accountApi.signOut, {})
  // The server does so by itself, with its next ping.
  await (await line).close({ code: consoleCloses.refused })
  await expect(page).toHaveURL('/signin')
  await trySignIn(page, user)
  await expect(page).toHaveURL(consolePath(vm))
  await expect(screenOf(page)).toContainText('root@engine:~#')
})

test('its text is found, copied, pasted, made larger, cleared and taken home', { tag: '@full' }, async ({
  page,
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  await look(page, vm)
  await page.keyboard.type('seq 300\n')
  await expect(screenOf(page)).toContainText('300root@engine')

  await page.keyboard.press('Control+Shift+F')
  const search = page.getByRole('searchbox', { name: 'Search the console' })
  await expect(search).toBeFocused()
  await page.keyboard.type('Booting')
  await expect(consoleOf(page).getByText('1 of 1', { exact: true })).toBeVisible()
  await expect(screenOf(page)).toContainText('Booting engine')
  // In 99, 199 and 299, and in no time of day.
  await search.fill('99')
  await expect(consoleOf(page).getByText('3 of 3', { exact: true })).toBeVisible()
  await button(page, 'Previous result').click()
  await expect(consoleOf(page).getByText('2 of 3', { exact: true })).toBeVisible()
  await search.press('Shift+Enter')
  await expect(consoleOf(page).getByText('3 of 3', { exact: true })).toBeVisible()
  await search.fill('no such word')
  await expect(consoleOf(page).getByText('Not found')).toBeVisible()
  await search.press('Escape')
  await expect(search).toBeHidden()
  await expect(fieldOf(page)).toBeFocused()

  await expect(button(page, 'Copy')).toBeDisabled()
  await screenOf(page).getByText('299', { exact: true }).dblclick({ force: true })
  await button(page, 'Copy').click()
  await expect(page.getByText('Copied to clipboard!')).toBeVisible()
  expect(await copied(page)).toBe('299')
  await page.evaluate(() => navigator.clipboard.writeText('echo pasted\n'))
  await button(page, 'Paste').click()
  await expect(screenOf(page)).toContainText('pastedroot@engine')
  const lines = Array.from({ length: 400 }, (_, line) => `echo line ${line} ${'.'.repeat(40)}`)
  await page.evaluate((text) => navigator.clipboard.writeText(text), `${lines.join('\n')}\necho all there\n`)
  await fieldOf(page).press('Control+Shift+V')
  await expect(screenOf(page)).toContainText('all thereroot@engine')

  const height = async () => (await screenOf(page).locator('div').first().boundingBox())?.height ?? 0
  const before = await height()
  await button(page, 'Larger text').click()
  await expect.poll(height).toBeGreaterThan(before)
  const larger = await height()
  await page.reload()
  await expect(screenOf(page)).toContainText('all thereroot@engine')
  expect(await height()).toBe(larger)
  await button(page, 'Smaller text').click()
  await expect.poll(height).toBe(before)

  await button(page, 'Full screen').click()
  await expect.poll(() => page.evaluate(() => document.fullscreenElement !== null)).toBe(true)
  await expect.poll(async () => (await consoleOf(page).boundingBox())?.width).toBe(1280)
  await button(page, 'Leave full screen').click()
  await expect(button(page, 'Full screen')).toBeVisible()

  await button(page, 'Clear').click()
  await expect(screenOf(page)).toHaveText(/^root@engine:~#\s*$/)
  const downloading = page.waitForEvent('download')
  await (await more(page, 'Download log')).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('engine-console.log')
  expect(await readFile(await download.path(), 'utf8')).toContain('Booting engine')
})

test('where the browser does not let pages read the clipboard, there is a field to paste into', {
  tag: '@full',
}, async ({ page, makeVm }) => {
  const vm = await makeVm('engine', 'running')
  await browseWithoutClipboard(page)
  await look(page, vm)
  await button(page, 'Paste').click()
  const dialog = page.getByRole('dialog', { name: 'Paste into the console' })
  await dialog.getByLabel('Text to paste').fill('echo by hand\n')
  await dialog.getByRole('button', { name: 'Paste' }).click()
  await expect(screenOf(page)).toContainText('by handroot@engine')
})

test('the keyboard goes into the terminal with Enter, and out with Ctrl+Shift+Enter', {
  tag: '@full',
}, async ({ page, makeVm }) => {
  const vm = await makeVm('engine', 'running')
  await look(page, vm)
  const frame = page.getByRole('group', { name: 'Serial console' })
  await expect(fieldOf(page)).toHaveAccessibleDescription(/Ctrl\+Shift\+Enter leaves the terminal/)
  // Tab is the guest's, and so is what opens the palette elsewhere.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+K')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(fieldOf(page)).toBeFocused()
  await page.keyboard.press('Control+Shift+Enter')
  await expect(frame).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(button(page, 'More of the console')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(frame).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(fieldOf(page)).toBeFocused()
  await page.keyboard.type('echo back\n')
  await expect(screenOf(page)).toContainText('backroot@engine')
  await (await more(page, 'Let screen readers read along')).click()
  await expect(consoleOf(page).getByRole('list').getByText('back', { exact: true })).toBeAttached()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true })

  test('has the keys that its keyboard lacks', { tag: '@full' }, async ({ page, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await look(page, vm)
    await expect(fieldOf(page)).not.toBeFocused()
    await page.getByRole('group', { name: 'Serial console' }).tap()
    await expect(fieldOf(page)).toBeFocused()
    await page.keyboard.type('not meant')
    await button(page, 'Ctrl').tap()
    await expect(button(page, 'Ctrl')).toHaveAttribute('aria-pressed', 'true')
    await page.keyboard.type('c')
    await expect(screenOf(page)).toContainText('not meant^C')
    await expect(button(page, 'Ctrl')).toHaveAttribute('aria-pressed', 'false')
    await expect(fieldOf(page)).toBeFocused()
  })
})

test('the screen of a guest that has one is shown, and takes a text key by key', { tag: '@full' }, async ({
  page,
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  await page.routeWebSocket(/\/console(\?.*)?$/, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((message) =>
      socket.send(message === '{"type":"screen","available":false}' ? screenSaying : message),
    )
  })
  const keys: string[] = []
  await page.routeWebSocket(/\/console\/screen$/, (socket) => speakRfb(socket, (key) => keys.push(key)))
  await makeRoutedSocketsComplete(page)
  await look(page, vm)
  await button(page, 'Screen').click()
  await expect(page.getByRole('group', { name: 'Screen' }).locator('canvas')).toBeVisible()
  await button(page, 'Send Ctrl+Alt+Del').click()
  await expect.poll(() => keys).toContain('down ffff')
  keys.length = 0
  await page.evaluate(() => navigator.clipboard.writeText('aB'))
  await button(page, 'Type clipboard text').click()
  await expect.poll(() => keys).toEqual(['down 61', 'up 61', 'down ffe1', 'down 42', 'up 42', 'up ffe1'])
  await page.keyboard.press('Control+Shift+Enter')
  await expect(page.getByRole('group', { name: 'Screen' })).toBeFocused()
  await button(page, 'Serial').click()
  await expect(screenOf(page)).toContainText('root@engine:~#')
})

const makeOwnVm = async (call: Call): Promise<Vm> => {
  const project = await call(projectApi.create, { body: { name: 'Engines' } })
  const key = await call(sshKeyApi.create, {
    body: { key_name: 'Laptop', ssh_public_key: newPublicKey() },
  })
  return makeVm(call, project.id, { name: 'engine', template_id: templateId, ssh_key_id: key.id }, 'running')
}

const screenSaying = '{"type":"screen","available":true}'

/** Sockets that Playwright routes inherit what noVNC looks for on the class itself. */
async function makeRoutedSocketsComplete(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { prototype } = WebSocket
    const names = ['send', 'close', 'binaryType', 'onerror', 'onmessage', 'onopen', 'protocol', 'readyState']
    window.WebSocket = new Proxy(WebSocket, {
      construct(Routed, args: [string]) {
        const socket = new Routed(...args)
        const own = Object.getPrototypeOf(socket)
        for (const name of names) {
          if (Object.hasOwn(own, name)) continue
          let from = own
          while (from && !Object.hasOwn(from, name)) from = Object.getPrototypeOf(from)
          const found = Object.getOwnPropertyDescriptor(from ?? prototype, name)
          Object.defineProperty(own, name, found ?? { value: undefined, writable: true })
        }
        return socket
      },
    })
  })
}

/** A screen of 64 by 48 black dots that listens to the keyboard (RFC 6143). */
function speakRfb(socket: WebSocketRoute, onKey: (key: string) => void): void {
  const size = Buffer.from([0, 64, 0, 48])
  const trueColours = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0])
  const name = Buffer.from([0, 0, 0, 4, ...Buffer.from('fake')])
  const answers = [
    // One way to sign in, which is none; then that it worked, then the screen.
    Buffer.from([1, 1]),
    Buffer.from([0, 0, 0, 0]),
    Buffer.concat([size, trueColours, name]),
  ]
  socket.onMessage((message) => {
    const answer = answers.shift()
    if (answer) socket.send(answer)
    const bytes = Buffer.from(message)
    const isKey = bytes[0] === 4 && bytes.length === 8
    if (!answer && isKey) onKey(`${bytes[1] ? 'down' : 'up'} ${bytes.readUInt32BE(4).toString(16)}`)
  })
  socket.send(Buffer.from('RFB 003.008\n'))
}
