import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { KubeError, type KubeErrorKind } from './kube/kube-error.ts'
import { makeLines } from './lines.ts'
import { mark } from './names.ts'
import { makeReadiness } from './readiness.ts'
import { playGround } from './streams.test-kit.ts'

const root = '/apis/subresources.kubevirt.io/v1/namespaces/slipway-p/virtualmachineinstances/vm-a'

describe('a line to a port', () => {
  test('goes through the cluster, and ends on both sides when one of them goes', async () => {
    const others: Duplex[] = []
    const { ground, opened, runs } = playGround((other) => void others.push(other))
    runs('a')
    const lines = makeLines(ground)
    const { stream } = await lines.dial('a', 8080)
    expect(opened).toEqual([`${root}/portforward/8080/tcp`])
    stream.write('hello')
    expect(String(await once(others[0] as Duplex, 'data').then(([data]) => data))).toBe('hello')
    const gone = once(stream.resume(), 'close')
    others[0]?.end()
    stream.end()
    await gone
    // What breaks off is nobody's exception.
    const second = await lines.dial('a', 22)
    const broken = new Promise<void>((resolve) => second.stream.once('close', resolve))
    second.stream.destroy(new Error('reset'))
    await broken
  })

  test.each<[string, string, KubeErrorKind?]>([
    [
      'dialing VM: dial tcp 10.0.0.1:22: connect: connection refused',
      'Nothing in the VM listens on port 22.',
    ],
    ['VMI is paused', 'The VM is paused.'],
    ['virtualmachineinstance.kubevirt.io "vm-a" not found', 'The VM is not running.', 'not-found'],
    [
      'no',
      'Port 22 of the VM could not be reached: the cluster does not allow Slipway to do this.',
      'forbidden',
    ],
    ['', 'Port 22 of the VM could not be reached: the cluster did not respond in time.', 'away'],
  ])('that cannot be had says why: %s', async (message, sentence, kind = 'broken') => {
    const { ground, runs } = playGround(() => {
      throw new KubeError(kind, message)
    })
    runs('a')
    await expect(makeLines(ground).dial('a', 22)).rejects.toMatchObject({
      code: 'unreachable',
      retryable: true,
      message: sentence,
    })
  })

  test('is not asked for where no guest runs, or a paused one', async () => {
    const { ground, opened, runs } = playGround()
    runs('a', 'a-1', { phase: 'Scheduled' })
    runs('b', 'b-1', { phase: 'Running', conditions: [{ type: 'Paused', status: 'True' }] })
    const lines = makeLines(ground)
    await expect(lines.dial('a', 22)).rejects.toMatchObject({ message: 'The VM is not running.' })
    await expect(lines.dial('b', 22)).rejects.toMatchObject({ message: 'The VM is paused.' })
    expect(opened).toEqual([])
  })
})

describe('a screen', () => {
  test('is opened without throwing out who looks already, from its first byte on', async () => {
    const { ground, opened, runs, exists } = playGround((other) => void other.write('RFB 003.008\n'))
    exists('a')
    runs('a')
    const screen = await makeLines(ground).openScreen('a')
    expect(opened).toEqual([`${root}/vnc?preserveSession=true`])
    expect(String(screen?.read())).toBe('RFB 003.008\n')
    screen?.destroy()
  })

  test.each<[string, (other: Duplex) => void]>([
    ['by an answer', () => refuse('Active VNC connection. Request denied.')],
    ['by a line that ends at once', (other) => void other.end()],
  ])('that somebody else has is refused with a sentence, after a while: %s', async (_, attend) => {
    const { ground, clock, opened, runs, exists } = playGround(attend)
    exists('a')
    runs('a')
    const refused = expect(makeLines(ground).openScreen('a')).rejects.toMatchObject({
      message: 'Someone else is viewing the screen of this VM. Only one person can view it at a time.',
    })
    for (let i = 0; i < 3; i++) await clock.advance(1000)
    await refused
    expect(opened).toHaveLength(3)
  })

  test('is none where the VM has none, or no guest runs', async () => {
    const { ground, opened, runs, exists } = playGround()
    const lines = makeLines(ground)
    exists('a', false)
    runs('a')
    exists('b')
    expect([await lines.hasScreen('a'), await lines.hasScreen('b'), await lines.hasScreen('c')]).toEqual([
      false,
      true,
      false,
    ])
    expect([await lines.openScreen('a'), await lines.openScreen('b')]).toEqual([null, null])
    expect(opened).toEqual([])
  })
})

describe('a guest', () => {
  test('is ready once it greets: asked with growing pauses, and never again', async () => {
    let greeting = ''
    const { ground, clock, opened, runs, goesAway } = playGround((other) => void other.end(greeting))
    const told: string[] = []
    const readiness = makeReadiness(ground, makeLines(ground), (id) => void told.push(id))
    await clock.advance(60_000)
    expect(opened).toHaveLength(0)
    runs('a')
    await clock.advance(60_000)
    expect(opened.length).toBeGreaterThan(4)
    expect(opened.length).toBeLessThan(10)
    expect(readiness.isReady('a-1')).toBe(false)
    greeting = 'SSH-2.0-x\r\n'
    await clock.advance(60_000)
    expect([told, readiness.isReady('a-1')]).toEqual([['a'], true])
    const { length } = opened
    runs('a', 'a-1', { phase: 'Running', nodeName: 'moved' })
    await clock.advance(600_000)
    expect(opened).toHaveLength(length)

    runs('a', 'a-2')
    await clock.advance(1000)
    expect([told, readiness.isReady('a-1'), readiness.isReady('a-2')]).toEqual([['a', 'a'], false, true])
    greeting = ''
    runs('b')
    goesAway('b')
    const asked = opened.length
    await clock.advance(600_000)
    expect(opened.length).toBeLessThanOrEqual(asked + 1)
    readiness.close()
  })

  test('that is noted to have greeted is not asked again by a server that begins, but its next run is', async () => {
    const { ground, clock, opened, runs, exists } = playGround((other) => void other.end('SSH-2.0-x\r\n'))
    for (let i = 0; i < 100; i++) {
      exists(`${i}`, true, { [mark.ready]: `${i}-1` })
      runs(`${i}`)
    }
    const readiness = makeReadiness(ground, makeLines(ground), () => {})
    await clock.advance(60_000)
    expect([opened.length, readiness.isReady('7-1')]).toEqual([0, true])
    runs('7', '7-2')
    await clock.advance(1_000)
    expect([opened.length, readiness.isReady('7-2')]).toEqual([1, true])
    readiness.close()
  })

  test('that says nothing, or something else, is not ready and keeps no line open', async () => {
    const others: Duplex[] = []
    const { ground, clock, runs } = playGround((other) => void others.push(other))
    runs('a')
    const lines = makeLines(ground)
    const silent = lines.answers('a')
    await clock.advance(10_000)
    expect(await silent).toBe(false)
    const other = lines.answers('a')
    await expect.poll(() => others.length).toBe(2)
    others[1]?.write('HTTP/1.1 400\r\n')
    expect(await other).toBe(false)
  })
})

function refuse(message: string): never {
  throw new KubeError('conflict', message)
}
