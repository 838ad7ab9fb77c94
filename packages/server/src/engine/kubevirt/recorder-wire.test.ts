import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '../../lib/clock.ts'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { silentLog } from '../../lib/log.ts'
import type { MachineConsole, MachineNote } from '../engine.ts'
import { reachRecorder } from './recorder-reached.ts'
import { serveRecorder } from './recorder-served.ts'

const token = 'a token of sixteen or more'

/** A console whose output and notes a test makes. */
function playConsole() {
  const listeners = new Set<() => void>()
  const notes: MachineNote[] = []
  let text = ''
  let typed = ''
  let open = 0
  const terminal = (): MachineConsole => {
    open++
    return {
      extent: () => ({ first: 0, end: text.length }),
      read: async (from, max) => Buffer.from(text.slice(from, from + max)),
      notes: () => notes,
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      async write(bytes) {
        typed += bytes
        return true
      },
      resize: () => {},
      close: () => void open--,
    }
  }
  return {
    terminal,
    typed: () => typed,
    /** How many look at it. */
    open: () => open,
    prints(more: string, note?: MachineNote['what']) {
      if (note) notes.push({ what: note, offset: text.length, at: 1 })
      text += more
      for (const listener of [...listeners]) listener()
    },
  }
}

async function play() {
  const played = playConsole()
  const recorder = { open: async (id: string) => (id === 'a' ? played.terminal() : null) }
  const served = await serveRecorder({ recorder, token, host: '127.0.0.1', port: 0, log: silentLog })
  onTestFinished(() => served.close())
  const url = `http://127.0.0.1:${served.port}`
  const reach = (by = token, at = url) => {
    const reached = reachRecorder({ url: at, token: by, clock: systemClock })
    onTestFinished(() => reached.close())
    return reached
  }
  return { ...played, served, url, reach }
}

describe('a recorder beside the servers', () => {
  test('shows what is kept and what comes, takes what is typed, and holds nothing for who left', async () => {
    const { reach, prints, typed, open } = await play()
    prints('boot ', 'started')
    const terminal = await reach().open('a')
    if (!terminal) throw new Error('There is no console')
    expect(terminal.extent()).toEqual({ first: 0, end: 5 })
    expect(terminal.notes()).toEqual([{ what: 'started', offset: 0, at: 1 }])
    let told = 0
    terminal.onChange(() => void told++)
    for (let i = 0; i < 1000; i++) prints('x')
    await expect.poll(() => terminal.extent().end).toBe(1005)
    expect(told).toBeGreaterThan(0)
    expect(told).toBeLessThan(100)
    expect(String(await terminal.read(4, 3))).toBe(' xx')
    expect(String(await terminal.read(1005, 100))).toBe('')
    prints('', 'ended')
    await expect.poll(() => terminal.notes().length).toBe(2)
    const long = Buffer.alloc(200_000, 'y')
    expect(await terminal.write(long)).toBe(true)
    expect(typed()).toBe(String(long))
    expect(open()).toBe(1)
    terminal.close()
    await expect.poll(open).toBe(0)
  })

  test('has no console of a machine it does not know, and none for who has no token', async () => {
    const { reach, open, url } = await play()
    expect(await reach().open('b')).toBeNull()
    expect(await reach().open('../a')).toBeNull()
    await expect(reach('another').open('a')).rejects.toMatchObject({
      code: 'internal',
      retryable: true,
      message: 'The console recorder cannot be reached. Try again in a moment.',
    })
    expect(open()).toBe(0)
    expect(await fetch(`${url}/health`).then((answer) => answer.status)).toBe(200)
    expect(await fetch(`${url}/consoles/a`).then((answer) => answer.status)).toBe(404)
  })

  test('that goes away is noticed by who looks; a question under way fails, and so does the next', async () => {
    const { reach, served, prints } = await play()
    prints('boot')
    const terminal = await reach().open('a')
    let told = 0
    terminal?.onChange(() => void told++)
    await served.close()
    await expect.poll(() => told).toBe(1)
    expect(() => terminal?.extent()).toThrow('cannot be reached')
    await expect(terminal?.read(0, 10)).rejects.toThrow('cannot be reached')
    expect(await terminal?.write(Buffer.from('x'))).toBe(false)
    await expect(reach().open('a')).rejects.toMatchObject({ retryable: true })
  })

  test('that does not answer is given up', async () => {
    const clock = makeHandClock()
    const silent = await serveRecorder({
      recorder: { open: () => new Promise(() => {}) },
      token,
      host: '127.0.0.1',
      port: 0,
      log: silentLog,
    })
    onTestFinished(() => silent.close())
    const reached = reachRecorder({ url: `http://127.0.0.1:${silent.port}`, token, clock })
    const refused = expect(reached.open('a')).rejects.toMatchObject({ code: 'internal' })
    await clock.advance(10_000)
    await refused
  })

  test.each([
    ['no question', 'nonsense'],
    ['a question with a place before the first byte', '{"id":1,"read":{"from":-1,"max":1}}'],
    ['bytes without a number', Buffer.from([1])],
  ])('ends a line that carries %s', async (_, message) => {
    const { url, open } = await play()
    const line = new WebSocket(`${url}/consoles/a`, { headers: { authorization: `Bearer ${token}` } })
    await new Promise((resolve) => line.once('open', resolve))
    const closed = new Promise((resolve) => line.once('close', resolve))
    line.send(message)
    await closed
    await expect.poll(open).toBe(0)
  })
})
