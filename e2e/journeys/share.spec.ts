/** A web app in a real guest, shared from the console and opened in other browsers until that is taken back. */
import { type BrowserContext, expect, type Page } from '@playwright/test'
import type { Vm } from '@slipway/contract'
import { test } from '../measured.ts'
import { vmPath } from '../paths.ts'
import type { Server } from '../server.ts'
import { newOwner, type Owner } from './owner.ts'
import { clear, newDataDir, startRealServer } from './real.ts'

test.setTimeout(600_000)

/**
 * The app: a page, and a WebSocket (RFC 6455) at which two letters come back. A shell is all that the guest has, so its
 * frames are made byte by byte.
 */
const app = String.raw`#!/bin/sh
key=
read -r request
while read -r line; do
  line=$(printf %s "$line" | tr -d '\r')
  [ -n "$line" ] || break
  case $line in [Ss]ec-[Ww]eb[Ss]ocket-[Kk]ey:*) key=$(printf %s "$line" | cut -d' ' -f2) ;; esac
done
if [ -n "$key" ]; then
  hash=$(printf %s "$key"258EAFA5-E914-47DA-95CA-C5AB0DC85B11 | sha1sum | cut -c1-40 | sed 's/../\\x&/g')
  printf 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n' "$(printf "$hash" | base64)"
  # Two bytes of head, four of mask, and two letters.
  set -- $(head -c 8 | od -An -tu1)
  printf '\201\002'
  printf "\\$(printf %o $(($3 ^ $7)))\\$(printf %o $(($4 ^ $8)))"
  sleep 600
else
  page='<!doctype html><title>Shop</title><h1>Open in the guest</h1>'
  printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %s\r\nConnection: close\r\n\r\n%s' "$(printf %s "$page" | wc -c)" "$page"
fi
`

let dataDir: string
let server: Server
let owner: Owner
/** The browser of the owner, who is signed in. */
let home: BrowserContext
let page: Page
let elsewhere: BrowserContext
let vm: Vm

test.beforeAll(async ({ browser }) => {
  dataDir = await newDataDir()
  server = await startRealServer(dataDir)
  home = await browser.newContext()
  page = await home.newPage()
  elsewhere = await browser.newContext()
  owner = await newOwner(page.request, () => server)
  vm = await owner.settled((await owner.create('web'))?.id ?? '')
  const text = Buffer.from(app).toString('base64')
  await owner.inGuest(vm.id, `echo ${text} | base64 -d > /tmp/app; chmod +x /tmp/app`)
  await owner.inGuest(vm.id, 'setsid nc -ll -p 3000 -e /tmp/app < /dev/null > /dev/null 2>&1 &')
})
test.afterAll(async () => {
  await home?.close()
  await elsewhere?.close()
  await server?.stop()
  if (dataDir) await clear(dataDir)
})

/** Says two letters at the WebSocket of the page that is shown, and what came back; it stays open. */
const talk = (shown: Page) =>
  shown.evaluate(
    () =>
      new Promise<string>((resolve, reject) => {
        const socket = new WebSocket(new URL('/talk', location.href.replace('http', 'ws')))
        socket.onopen = () => socket.send('hi')
        socket.onmessage = async ({ data }) => resolve(typeof data === 'string' ? data : await data.text())
        socket.onerror = () => reject(new Error('The WebSocket failed'))
        socket.onclose = () => {
          document.title = 'The line is cut'
        }
      }),
  )

test('a web app of a guest is opened by whom its owner lets in, with its WebSocket, until sharing ends', async () => {
  const section = page.getByRole('region', { name: 'Network' })
  const shares = section.getByRole('list', { name: 'Shared ports' })
  const link = shares.getByRole('link')
  await page.goto(server.url + vmPath(vm))
  await section.getByRole('button', { name: 'Share a port' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share a port' })
  // Offered by itself, as the guest says that something listens.
  await dialog.getByRole('button', { name: '3000', exact: true }).click({ timeout: 180_000 })
  await dialog.getByRole('button', { name: 'Share Port' }).click()
  await expect(link).toHaveAttribute('href', /:\d+\/$/)
  const address = (await link.getAttribute('href')) ?? ''

  // Signed in here, it opens; a browser that is signed out is refused.
  const own = await home.newPage()
  await own.goto(address)
  await expect(own.getByRole('heading', { name: 'Open in the guest' })).toBeVisible()
  expect(await talk(own)).toBe('hi')
  const other = await elsewhere.newPage()
  expect((await other.goto(address))?.status()).toBe(401)
  await expect(other.getByText('Sign in to open this page').first()).toBeVisible()
  await expect(other.getByRole('heading', { name: 'Open in the guest' })).toBeHidden()

  // By link it opens there.
  await shares.getByRole('button', { name: 'Change who may open port 3000' }).click()
  const change = page.getByRole('dialog', { name: 'Change port 3000' })
  await change.getByRole('radio', { name: 'Whoever has the link' }).check()
  await change.getByRole('button', { name: 'Save' }).click()
  await expect(link).toHaveAttribute('href', /slipway=/)
  // Whoever was in before comes in anew.
  await expect(own).toHaveTitle('The line is cut')
  await other.goto((await link.getAttribute('href')) ?? '')
  await expect(other.getByRole('heading', { name: 'Open in the guest' })).toBeVisible()
  expect(other.url()).not.toContain('slipway=')
  expect(await talk(other)).toBe('hi')
  await other.reload()
  await expect(other).toHaveTitle('Shop')
  expect(await talk(other)).toBe('hi')

  // Taken back, it is gone with what is open.
  await shares.getByRole('button', { name: 'Stop sharing port 3000' }).click()
  const stop = page.getByRole('alertdialog').getByRole('button', { name: 'Stop Sharing' })
  const cut = other.waitForFunction(() => document.title === 'The line is cut', undefined, { polling: 10 })
  const clicked = performance.now()
  await stop.click()
  await cut
  console.log(`NOTE: the WebSocket was cut ${Math.round(performance.now() - clicked)} ms after the click`)
  await expect(other.reload()).rejects.toThrow(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE/)
  await expect(section).toContainText('No port is shared')
})
