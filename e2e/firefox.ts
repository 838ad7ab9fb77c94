import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { expect } from '@playwright/test'

/**
 * Debian's Firefox over WebDriver BiDi, the protocol that browsers share. Playwright drives only a Firefox of its own
 * build; a few commands are all that a smoke run needs.
 */

const program = process.env.FIREFOX ?? '/usr/bin/firefox-esr'

/** How long a busy host may take for a start or a command. */
const patienceMs = 60_000

/** Whether there is a Firefox on this machine. */
export const hasFirefox = existsSync(program)

/** What a person sees of an element: its role and name; or a selector, where it has neither. */
export type Target = { role: string; name: string } | { css: string }

export interface Firefox {
  /** Goes to a URL and waits until it has loaded. */
  goto: (url: string) => Promise<void>
  /** Waits for an element and clicks it with the mouse. */
  click: (target: Target) => Promise<void>
  /** Waits for an element, clicks it and types, key by key. */
  type: (target: Target, text: string) => Promise<void>
  /** Types into whatever has the focus. */
  keys: (text: string) => Promise<void>
  /** Waits until the page, or a part of it, shows a text. */
  expectText: (text: string | RegExp, css?: string) => Promise<void>
  /** The path of the URL. */
  path: () => Promise<string>
  close: () => Promise<void>
}

interface Node {
  sharedId: string
}

export async function startFirefox(): Promise<Firefox> {
  const home = await mkdtemp(join(tmpdir(), 'slipway-firefox-'))
  const child = spawn(
    program,
    ['--headless', '--no-remote', '--profile', home, '--remote-debugging-port', '0', 'about:blank'],
    {
      env: { ...process.env, HOME: home, MOZ_CRASHREPORTER_DISABLE: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const exit = once(child, 'exit')
  async function end(): Promise<void> {
    child.kill('SIGTERM')
    await inTime(exit, 'end').catch(() => child.kill('SIGKILL'))
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const address = await inTime(addressOf(child), 'start')
    return await drive(await inTime(connect(address), 'connect'), end)
  } catch (error) {
    await end()
    throw error
  }
}

async function drive({ send }: Session, close: () => Promise<void>): Promise<Firefox> {
  await send('session.new', { capabilities: {} })
  const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {})
  const context = contexts[0]?.context ?? ''

  /** The last of what fits: dialogs stand at the end of a page. */
  async function find(target: Target): Promise<Node> {
    const locator =
      'css' in target ? { type: 'css', value: target.css } : { type: 'accessibility', value: target }
    let found: Node | undefined
    await expect
      .poll(
        async () => {
          const { nodes } = await send<{ nodes: Node[] }>('browsingContext.locateNodes', { context, locator })
          found = nodes.at(-1)
          return nodes.length
        },
        { message: JSON.stringify(target), timeout: patienceMs },
      )
      .toBeGreaterThan(0)
    if (!found) throw new Error(`${JSON.stringify(target)} is gone`)
    return found
  }

  const evaluate = async (expression: string): Promise<unknown> =>
    (
      await send<{ result: { value?: unknown } }>('script.evaluate', {
        expression,
        target: { context },
        awaitPromise: true,
      })
    ).result.value

  async function click(target: Target): Promise<void> {
    const node = await find(target)
    // What moved or was drawn anew in between is looked for once more.
    const press = { type: 'pointerDown', button: 0 }
    const move = { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element: node } }
    const actions = [
      { type: 'pointer', id: 'mouse', actions: [move, press, { type: 'pointerUp', button: 0 }] },
    ]
    await send('script.callFunction', {
      functionDeclaration: '(element) => element.scrollIntoView({ block: "center" })',
      arguments: [node],
      target: { context },
      awaitPromise: false,
    })
    await send('input.performActions', { context, actions })
  }

  async function keys(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ])
    await send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] })
  }

  /** A page that goes somewhere by itself in that moment cuts the way to another one off. */
  async function goto(url: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return void (await send('browsingContext.navigate', { context, url, wait: 'complete' }))
      } catch (error) {
        if (tries === 3 || !String(error).includes('NS_BINDING_ABORTED')) throw error
      }
    }
  }

  return {
    goto,
    click,
    async type(target, text) {
      await click(target)
      await keys(text)
    },
    keys,
    async expectText(text, css = 'body') {
      const shown = `document.querySelector(${JSON.stringify(css)})?.innerText.replaceAll("\\u00a0", " ") ?? ""`
      await expect
        .poll(() => evaluate(shown), { timeout: patienceMs })
        .toEqual(typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text))
    },
    path: async () => String(await evaluate('location.pathname')),
    close,
  }
}

/** The address that Firefox prints once it listens; what it prints later is read and dropped. */
function addressOf(child: ChildProcessByStdio<null, null, Readable>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const [, address] = text.match(/WebDriver BiDi listening on (ws:\S+)/) ?? []
      if (address) resolve(address)
    })
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`Firefox ended before it listened:\n${text}`)))
  })
}

/** A promise that does not wait for a browser that hangs. */
async function inTime<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Firefox did not answer: ${what}`)), patienceMs)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Sends commands and brings each its answer. */
async function connect(address: string): Promise<Session> {
  const socket = new WebSocket(`${address}/session`)
  await once(socket, 'open')
  const waiting = new Map<number, (answer: Answer) => void>()
  socket.addEventListener('message', ({ data }) => {
    const answer: Answer = JSON.parse(String(data))
    if (answer.id) waiting.get(answer.id)?.(answer)
  })
  let last = 0
  return {
    async send<T>(method: string, params: object): Promise<T> {
      const id = ++last
      const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve))
      socket.send(JSON.stringify({ id, method, params }))
      const answer = await inTime(answered, method)
      waiting.delete(id)
      if (answer.type === 'error') throw new Error(`${method}: ${answer.error}: ${answer.message}`)
      // The protocol says what each command answers.
      return answer.result as T
    },
  }
}

interface Session {
  /** Sends a command and gives back its result. */
  send: <T>(method: string, params: object) => Promise<T>
}

interface Answer {
  id?: number
  type: string
  result?: unknown
  error?: string
  message?: string
}
