import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Duplex } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { silentLog } from '../../lib/log.ts'
import { connectUnix } from '../../lib/unix-socket.ts'
import { describeEngine } from '../engine.suite.ts'
import { makeMoves, volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine, MachineConsole, Work } from '../engine.ts'
import { clusterLimits, noLimits } from '../limits.ts'
import { makeReachedEngine } from './reached.ts'
import { serveEngine } from './served.ts'
import { makeSimulatedHarness, simulatedMachine } from './simulated.test-kit.ts'
import type { SimulatedEngine } from './simulated.ts'

const away = { code: 'internal', retryable: true, message: expect.stringContaining('cannot be reached') }

/** A busy host takes its time. */
const until = (look: () => unknown) => vi.waitFor(look, { timeout: 30_000 })

/** A world on a clock moved by hand, and a socket for it. */
async function openWorld() {
  const harness = await makeSimulatedHarness()
  const world: SimulatedEngine = await harness.open()
  const dir = mkdtempSync(path.join(tmpdir(), 'slipway-reached-'))
  const socket = path.join(dir, 'world.sock')
  const { clock } = harness
  return {
    harness,
    world,
    clock,
    socket,
    /** Serves it, with other methods where a test needs them. */
    serve: (instead: Partial<Engine> = {}) =>
      serveEngine({ engine: { ...world, ...instead }, path: socket, clock, log: silentLog }),
    async reach(at = systemClock) {
      const engine = makeReachedEngine({ path: socket, clock: at })
      await engine.open()
      return engine
    },
    async close() {
      await world.close()
      await harness.cleanUp()
      rmSync(dir, { recursive: true })
    },
  }
}

describeEngine('Simulated, reached over a socket,', async () => {
  const { harness, serve, reach, close } = await openWorld()
  const stopServing = await serve()
  return {
    ...harness,
    open: () => reach(),
    async cleanUp() {
      await stopServing()
      await close()
    },
  }
})

describe('a simulated engine that is reached over a socket', () => {
  let at: Awaited<ReturnType<typeof openWorld>>
  let here: Engine
  let stopServing: () => Promise<void>
  beforeEach(async () => {
    at = await openWorld()
    stopServing = await at.serve()
    here = await at.reach()
  })
  afterEach(async () => {
    await here.close()
    await stopServing()
    await at.close()
  })

  async function serveInstead(instead?: Partial<Engine>) {
    await stopServing()
    stopServing = await at.serve(instead)
  }
  const { done } = makeMoves('it', () => ({ harness: at.harness, engine: here }))
  async function runningMachine(hostname: string): Promise<string> {
    const spec = simulatedMachine(hostname)
    await done(here.createMachine(spec))
    await here.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    await at.harness.pass(5_000)
    return spec.id
  }
  async function consoleAt(engine: Engine, id: string): Promise<MachineConsole> {
    const terminal = await engine.openConsole(id)
    if (!terminal) throw new Error('There is no console')
    return terminal
  }
  async function textOf(terminal: MachineConsole): Promise<string> {
    const { first, end } = terminal.extent()
    return (await terminal.read(first, end - first)).toString('utf8')
  }

  test('says that it is simulated, and that any server reaches its machines', () => {
    expect([here.kind, here.capabilities.reach]).toEqual(['simulated', 'any-server'])
    expect([at.world.kind, at.world.capabilities.reach]).toEqual(['simulated', 'one-server'])
  })

  test('cannot do what its host cannot, and its addresses are where those of its host are', async () => {
    // What it takes files for may be at another server by then.
    const { diskFiles } = clusterLimits
    expect(here.capabilities.cannot).toEqual({ ...noLimits, diskFiles })
    const cannot = { ...noLimits, diskFiles, hotPlug: clusterLimits.hotPlug }
    await serveInstead({ capabilities: { ...at.world.capabilities, cannot, addresses: 'inside' } })
    const there = await at.reach()
    expect(there.capabilities).toMatchObject({ cannot, addresses: 'inside', reach: 'any-server' })
    await there.close()
  })

  test('fails with the code, the sentence and the hope of the engine', async () => {
    const spec = simulatedMachine('fault-flaky')
    await done(here.createMachine(spec))
    const starting = here.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    await expect(starting).rejects.toMatchObject({
      name: 'EngineError',
      code: 'launch-failed',
      retryable: true,
      message: 'The guest could not be launched yet (simulated).',
    })
  })

  test('two servers share one world: machines, changes, what a console shows and what is typed', async () => {
    const there = await at.reach()
    const changes: string[] = []
    there.onChange((id) => changes.push(id))
    const id = await runningMachine('shared')
    expect(await there.inspect(id)).toMatchObject({ power: 'ready' })
    expect(await there.list()).toEqual(await here.list())
    expect(changes).toContain(id)

    const [one, other] = [await consoleAt(here, id), await consoleAt(there, id)]
    const onChange = vi.fn()
    other.onChange(onChange)
    expect(await one.write(Buffer.from('echo grüße\r'))).toBe(true)
    // What was printed at that is known by then.
    expect(await textOf(one)).toMatch(/# echo grüße\r\ngrüße\r\n.*root@shared/)
    await until(() => expect(onChange).toHaveBeenCalled())
    await until(() => expect(other.extent()).toEqual(one.extent()))
    expect(onChange).toHaveBeenCalledOnce()
    expect(await textOf(other)).toBe(await textOf(one))
    await other.write(Buffer.from('poweroff\r'))
    await until(() => expect(one.notes().at(-1)).toMatchObject({ what: 'ended' }))
    expect(other.notes()).toEqual(one.notes())

    one.close()
    await there.close()
    expect(await here.inspect(id)).toMatchObject({ power: 'off' })
  })

  test('long work is ended by its signal, at the other end too', async () => {
    const ending = new AbortController()
    const onProgress = vi.fn(() => ending.abort())
    const stuck = { from: 'url', url: 'http://images.test/fault-stuck' } as const
    await expect(
      here.createVolume(volumeSpec('v', stuck, 0), { signal: ending.signal, onProgress }),
    ).rejects.toMatchObject({ code: 'aborted' })
    expect(onProgress).toHaveBeenCalledExactlyOnceWith(0.01)
  })

  test('progress is told at once, and then a few times a second', async () => {
    await serveInstead({
      async createVolume(_spec, { onProgress }) {
        for (let step = 0; step <= 1000; step++) {
          onProgress(step / 1000)
          await at.clock.advance(1)
        }
        onProgress(null)
        return { sizeBytes: 1, sha256: null }
      },
    })
    const told: (number | null)[] = []
    const all: Work = { ...work(), onProgress: (fraction) => told.push(fraction) }
    await here.createVolume(volumeSpec('v', { from: 'nothing' }, 1), all)
    expect(told).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
  })

  test('a connection that is lost fails what is under way, and is there again by itself', async () => {
    const id = await runningMachine('outlives-it')
    const creating = expect(here.createMachine(simulatedMachine('under-way'))).rejects.toMatchObject(away)
    const signals: AbortSignal[] = []
    await serveInstead({
      createVolume(_spec, { signal }) {
        signals.push(signal)
        return new Promise(() => {})
      },
    })
    await creating
    expect(await here.inspect(id)).toMatchObject({ power: 'ready' })

    const copying = expect(
      here.createVolume(volumeSpec('v', { from: 'nothing' }, 1), work()),
    ).rejects.toMatchObject(away)
    await until(() => expect(signals).toHaveLength(1))
    await stopServing()
    await copying
    await until(() => expect(signals[0]?.aborted).toBe(true))
    await expect(here.list()).rejects.toMatchObject(away)

    const changes: string[] = []
    here.onChange((changed) => changes.push(changed))
    stopServing = await at.serve()
    await until(() => {
      at.world.closeSsh(id, true)
      expect(changes).toContain(id)
    })
  })

  test('a console goes on where it was when the connection is there again', async () => {
    const id = await runningMachine('seen-again')
    const other = await runningMachine('another')
    const terminal = await consoleAt(here, id)
    await consoleAt(here, other)
    const before = await textOf(terminal)
    const { end } = terminal.extent()
    await stopServing()
    await expect(terminal.read(0, 10)).rejects.toMatchObject(away)
    expect(terminal.extent().end).toBe(end)

    at.world.print(id, 'printed meanwhile')
    const onChange = vi.fn()
    terminal.onChange(onChange)
    stopServing = await at.serve()
    await until(() => expect(onChange).toHaveBeenCalled())
    expect(await textOf(terminal)).toBe(`${before}printed meanwhile`)
    expect(terminal.extent().end).toBe(end + 17)
    expect(await terminal.write(Buffer.from('x'))).toBe(true)
  })

  test('a console that is opened while the connection is opened anew is opened once', async () => {
    const id = await runningMachine('opened-once')
    const openConsole = vi.fn(at.world.openConsole)
    await serveInstead({ openConsole })
    const terminal = await consoleAt(here, id)
    expect(await textOf(terminal)).toContain('root@opened-once')
    expect(openConsole).toHaveBeenCalledOnce()
  })

  test('the console of a machine that went meanwhile shows nothing', async () => {
    const id = await runningMachine('goes')
    const terminal = await consoleAt(here, id)
    await stopServing()
    await at.world.deleteMachine(id)
    stopServing = await at.serve()
    await until(() => expect(terminal.extent()).toEqual({ first: 0, end: 0 }))
    expect(terminal.notes()).toEqual([])
    await expect(terminal.read(0, 10)).rejects.toMatchObject({ retryable: true })
    expect(await here.openConsole(id)).toBeNull()
  })

  test('a call that is not answered fails in time; long work does not, until it is to end', async () => {
    const clock = makeHandClock()
    const never = () => new Promise<never>(() => {})
    await serveInstead({ inspect: never, createVolume: never })
    const engine = await at.reach(clock)
    const ending = new AbortController()
    const looking = expect(engine.inspect('a')).rejects.toMatchObject(away)
    const copying = engine.createVolume(volumeSpec('v', { from: 'nothing' }, 1), {
      ...work(),
      signal: ending.signal,
    })
    const copied = expect(copying).rejects.toMatchObject(away)
    await engine.list()
    await clock.advance(60_000)
    await looking
    expect(await Promise.race([copying, engine.list().then(() => 'still copying')])).toBe('still copying')
    ending.abort()
    await clock.advance(60_000)
    await copied
    await engine.close()
  })

  test('a port of a guest is a connection of its own, and ends with its guest', async () => {
    const spec = simulatedMachine('web')
    await done(at.world.createMachine(spec))
    await done(at.world.startMachine(spec.id, { freshRoot: false, volumeIds: [] }))
    expect(await here.listeningPorts(spec.id)).toBeNull()
    await expect(here.dial(spec.id, 3000)).rejects.toMatchObject({ code: 'unreachable' })
    await at.clock.advance(10_000)
    expect(await here.listeningPorts(spec.id)).toEqual([22, 3000])
    for (const port of [22, 4000])
      await expect(here.dial(spec.id, port)).rejects.toMatchObject({ code: 'unreachable' })
    for (const engine of [here, at.world]) {
      const line = await engine.dial(spec.id, 3000)
      if (!('stream' in line)) throw new Error('It is no stream')
      let heard = ''
      line.stream.setEncoding('utf8').on('data', (part: string) => {
        heard += part
      })
      line.stream.write('GET / HTTP/1.1\r\nHost: web\r\n\r\n')
      await until(() => expect(heard).toContain(`Hello from VM ${spec.id}`))
      const closed = once(line.stream, 'close')
      if (engine === at.world) at.world.endRun(spec.id, { how: 'clean' })
      else line.stream.destroy()
      await closed
    }
    await expect(here.dial(spec.id, 3000)).rejects.toMatchObject({ code: 'unreachable' })
  })

  test('a screen is a connection of its own', async () => {
    expect(await here.openScreen('a')).toBeNull()
    const far = new Duplex({
      read() {},
      write(chunk, _, next) {
        far.push(chunk)
        next()
      },
    })
    far.push('RFB 003.008\n')
    await serveInstead({ openScreen: async (id) => (id === 'a' ? far : null) })
    const screen = await here.openScreen('a')
    if (!screen) throw new Error('There is no screen')
    const seen: string[] = []
    screen.on('data', (bytes: Buffer) => seen.push(bytes.toString()))
    screen.write('typed')
    await until(() => expect(seen.join('')).toBe('RFB 003.008\ntyped'))
    const ends = once(far, 'close')
    screen.destroy()
    await ends
    expect(await here.openScreen('b')).toBeNull()
  })

  test.each([
    ['is too long', Buffer.alloc(17 * 1024 ** 2, 'x')],
    ['is not understood', Buffer.from('{"id":"one"}\n')],
  ])('a line that %s ends its connection and no other', async (_, line) => {
    const stranger = await connectUnix(at.socket)
    stranger.write(line)
    await new Promise((resolve) => stranger.once('close', resolve))
    expect(await here.listVolumes()).toEqual([])
  })

  test('a server that does not read what it asked for is let go of', async () => {
    await serveInstead({ lookAtImage: async () => ({ state: 'unavailable', reason: 'x'.repeat(1024 ** 2) }) })
    const stopped = await connectUnix(at.socket)
    stopped.pause()
    for (let id = 0; id < 64; id++) stopped.write(`{"id":${id},"call":"lookAtImage","args":["a"]}\n`)
    // Nothing is read here, so the end shows when more is written.
    await until(() => {
      stopped.write('{"abort":0}\n')
      expect(stopped.destroyed).toBe(true)
    })
    expect(await here.listVolumes()).toEqual([])
  })

  test('an answer that is too long for a line fails by itself', async () => {
    await serveInstead({ listVolumes: async () => ['x'.repeat(17 * 1024 ** 2)] })
    await expect(here.listVolumes()).rejects.toMatchObject({ code: 'internal', retryable: false })
    expect(await here.list()).toEqual(new Map())
  })

  test('one host serves a socket, and a server does not start without one', async () => {
    await expect(at.serve()).rejects.toThrow(`Another simulated host is serving ${at.socket}. Stop it first`)
    expect(await here.listVolumes()).toEqual([])
    await stopServing()
    await expect(at.reach()).rejects.toThrow(`No simulated host is serving ${at.socket}. Start one with`)
    stopServing = await at.serve()
  })
})
