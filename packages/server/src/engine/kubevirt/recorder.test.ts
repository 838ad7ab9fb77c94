import { readdir } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { directoryForEach } from '../../lib/directory.test-kit.ts'
import type { MachineConsole } from '../engine.ts'
import { makeRecorder } from './recorder.ts'
import { playGround } from './streams.test-kit.ts'

const missing = /\[Slipway was not connected to this console .*\. Output from that time is missing\.\]/

/** Everything that comes out of a stream from now on. */
function heardAt(stream: Duplex): () => string {
  let heard = ''
  stream.on('data', (chunk) => {
    heard += chunk
  })
  return () => heard
}

describe('a recorder', () => {
  const directory = directoryForEach()

  function play(refuses: () => boolean = () => false) {
    const lines: Duplex[] = []
    const played = playGround((other) => {
      if (refuses()) throw new Error('not now')
      lines.push(other)
    })
    played.exists('a')
    return {
      ...played,
      lines,
      /** The far end of the newest stream, once there are so many. */
      async line(count: number): Promise<Duplex> {
        await expect.poll(() => lines.length).toBe(count)
        return lines[count - 1] as Duplex
      },
      async start() {
        const recorder = await makeRecorder(played.ground, directory())
        onTestFinished(() => recorder.close())
        return recorder
      },
    }
  }

  async function consoleOf(recorder: { open: (id: string) => Promise<MachineConsole | null> }, id = 'a') {
    const terminal = await recorder.open(id)
    if (!terminal) throw new Error('There is no console')
    onTestFinished(() => terminal.close())
    const text = async () => String(await terminal.read(0, 1_000_000))
    const notes = () => terminal.notes().map(({ what, offset }) => [what, offset])
    return { terminal, text, notes }
  }

  test('keeps what a guest prints whether anybody looks or not, over all its runs', async () => {
    const { clock, line, start, runs, goesAway } = play()
    const recorder = await start()
    runs('a')
    const first = await line(1)
    first.write('boot\r\n')
    const { terminal, text, notes } = await consoleOf(recorder)
    let told = 0
    terminal.onChange(() => void told++)
    await expect.poll(text).toBe('boot\r\n')
    first.write('more')
    await expect.poll(() => terminal.extent()).toEqual({ first: 0, end: 10 })
    expect(told).toBeGreaterThan(0)
    runs('a', 'a-1', { phase: 'Succeeded' })
    first.write('bye')
    first.end()
    await expect.poll(notes).toEqual([
      ['started', 0],
      ['ended', 13],
    ])
    goesAway('a')
    runs('a', 'a-2')
    ;(await line(2)).write('again')
    await expect.poll(text).toBe('boot\r\nmorebyeagain')
    runs('a', 'a-2', { phase: 'Failed' })
    // Its line stays open: last words are not waited for without end.
    await clock.advance(5000)
    await expect.poll(notes).toEqual([
      ['started', 0],
      ['ended', 13],
      ['started', 13],
      ['crashed', 18],
    ])
  })

  test('types for whoever looks, and says so when nobody is there to take it', async () => {
    const { line, start, runs } = play()
    const recorder = await start()
    const { terminal } = await consoleOf(recorder)
    expect(await terminal.write(Buffer.from('x'))).toBe(false)
    runs('a')
    const other = await line(1)
    const typed = heardAt(other)
    await expect.poll(() => terminal.write(Buffer.from('ls\r'))).toBe(true)
    await expect.poll(typed).toBe('ls\r')
    expect(await recorder.open('of-nobody')).toBeNull()
    expect(await recorder.open('../../etc/passwd')).toBeNull()
  })

  test('holds what is typed to a living guest until its line has come', async () => {
    let refuses = true
    const { clock, line, opened, start, runs } = play(() => refuses)
    runs('a')
    const { terminal } = await consoleOf(await start())
    const typing = ['ls\r', 'pwd\r'].map((text) => terminal.write(Buffer.from(text)))
    await expect.poll(() => opened.length).toBe(1)
    refuses = false
    await clock.advance(5000)
    const other = await line(1)
    const typed = heardAt(other)
    expect(await Promise.all(typing)).toEqual([true, true])
    await expect.poll(typed).toBe('ls\rpwd\r')
  })

  test('does not hold what is typed without end, nor after the guest has ended', async () => {
    const { clock, opened, start, runs } = play(() => true)
    runs('a')
    const { terminal } = await consoleOf(await start())
    const givenUp = terminal.write(Buffer.from('x'))
    await expect.poll(() => opened.length).toBe(1)
    for (let i = 0; i < 4; i++) await clock.advance(5000)
    expect(await givenUp).toBe(false)
    const ended = terminal.write(Buffer.from('x'))
    runs('a', 'a-1', { phase: 'Succeeded' })
    expect(await ended).toBe(false)
  })

  test('comes back to a stream that was cut, with growing pauses, and admits what it missed', async () => {
    let refuses = false
    const { clock, line, opened, start, runs } = play(() => refuses)
    const recorder = await start()
    runs('a')
    const first = await line(1)
    const { text } = await consoleOf(recorder)
    first.write('before')
    await expect.poll(text).toBe('before')
    refuses = true
    first.destroy()
    for (let i = 0; i < 60; i++) await clock.advance(5000)
    expect(opened.length).toBeGreaterThan(5)
    expect(opened.length).toBeLessThan(16)
    refuses = false
    await clock.advance(120_000)
    ;(await line(2)).write('after')
    await expect.poll(text).toMatch(/^before\r\n\[.* from 2026-11-21 00:0.* is missing\.\]\r\nafter$/)
  })

  test('that was away goes on at the same offsets, admits what it missed, and ends what ended meanwhile', async () => {
    const { clock, line, start, runs, goesAway } = play()
    const one = await start()
    runs('a')
    ;(await line(1)).write('one')
    await expect.poll(async () => (await consoleOf(one)).terminal.extent().end).toBe(3)
    await one.close()

    const two = await start()
    await line(2)
    const seen = await consoleOf(two)
    await expect.poll(seen.text).toMatch(missing)
    expect(await seen.text()).toMatch(/^one\r\n/)
    expect(seen.notes()).toEqual([['started', 0]])
    // What it says of what it missed is told a moment before it is counted.
    await expect.poll(() => seen.terminal.extent().end).toBeGreaterThan(3)
    await two.close()

    const { end } = seen.terminal.extent()
    goesAway('a')
    const three = await start()
    const ended = [
      ['started', 0],
      ['ended', end],
    ]
    await expect.poll(async () => (await consoleOf(three)).notes()).toEqual(ended)
    await three.close()

    runs('a', 'a-2')
    const four = await start()
    await line(3)
    const last = await consoleOf(four)
    await expect.poll(last.notes).toEqual([...ended, ['started', end]])
    await expect.poll(async () => (await last.text()).slice(end)).toMatch(missing)
    await clock.advance(0)
  })

  test('forgets a machine that was deleted, and old output of one that talks without end', async () => {
    const { clock, line, start, runs, goesAway, isDeleted } = play()
    const recorder = await start()
    runs('a')
    const other = await line(1)
    const { terminal } = await consoleOf(recorder)
    const mib = 1024 * 1024
    for (let i = 0; i < 18; i++) {
      await new Promise((resolve) => other.write(Buffer.alloc(mib, 65 + i), resolve))
    }
    await expect.poll(() => terminal.extent().end).toBe(18 * mib)
    await expect.poll(() => terminal.extent().first).toBeGreaterThan(8 * mib - 1)
    expect(String(await terminal.read(18 * mib - 2, 100))).toBe('RR')
    expect((await readdir(directory())).sort()).toEqual(['a.json', 'a.log'])
    goesAway('a')
    isDeleted('a')
    await clock.advance(5000)
    await expect.poll(() => readdir(directory())).toEqual([])
    expect(await recorder.open('a')).toBeNull()
  })
})
