import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../../lib/command.ts'
import { directoryForAll } from '../../../lib/directory.test-kit.ts'
import { missing } from '../qemu-engine.test-kit.ts'
import { type Cast, honestFrames, hostileFrames, plugInto, type TapPlug } from './frames.test-kit.ts'
import { linkCommands } from './links.ts'
import { frameRules } from './rules.ts'
import { whyNoProjectNetworks } from './trial.ts'

const why = missing ?? (process.getuid?.() === 0 ? await whyNoProjectNetworks() : 'it takes root')
if (why) console.log(`SKIPPED: "frames of hostile guests", because ${why}`)

const cast: Cast = {
  own: { mac: '52:54:00:00:00:02', ip: '10.80.0.2' },
  other: { mac: '52:54:00:00:00:03', ip: '10.80.0.3' },
  gateway: { mac: '52:54:00:00:00:01', ip: '10.80.0.1' },
}
const PATIENCE_MS = 20_000

describe.skipIf(why)('frames of a guest', () => {
  const name = `slipway-frames-${process.pid}`
  const entry = ['nsenter', `--net=/run/netns/${name}`, '--']
  const inside = (command: string, args: string[], input = '') =>
    run(entry[0] ?? '', [...entry.slice(1), command, ...args], { input })
  const dir = directoryForAll()
  let guest: TapPlug
  let watcher: TapPlug

  /** As project networks make them. */
  const withRules = () =>
    inside(
      'nft',
      ['-f', '-'],
      frameRules([
        {
          ...{ bridge: 'p0', index: 0, internet: true },
          ports: [
            { tap: 't0-2', ...cast.own },
            { tap: 't0-3', ...cast.other },
          ],
        },
      ]),
    )
  const comes = async (frame: Buffer, within: number): Promise<boolean> => {
    for (const end = performance.now() + within; performance.now() < end; await sleep(10))
      if (watcher.seen.some((seen) => seen.equals(frame))) return true
    return false
  }
  let marks = 0
  const mark = (): Buffer => {
    const [question = Buffer.alloc(0)] = Object.values(honestFrames(cast))
    return Buffer.concat([question, Buffer.from(`mark ${++marks}`)])
  }
  /** A frame that may pass is the last: nothing that was sent before is still on its way then. */
  async function settled(): Promise<void> {
    const frame = mark()
    guest.send(frame)
    if (!(await comes(frame, PATIENCE_MS))) throw new Error('Nothing comes through at all')
  }

  beforeAll(async () => {
    await run('ip', ['netns', 'add', name])
    const taps = ['t0-2', 't0-3']
    const commands = linkCommands([], [{ name: 'p0', address: '10.80.0.1/22', taps }])
    const set = [`link set p0 address ${cast.gateway.mac}`]
    await inside('ip', ['-batch', '-'], `${[...commands, ...set].join('\n')}\n`)
    guest = await plugInto('t0-2', dir(), entry)
    watcher = await plugInto('t0-3', dir(), entry)
    // Proven here, because every test waits for it.
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
      const frame = mark()
      guest.send(frame)
      if (await comes(frame, 500)) return
    }
    throw new Error(`Nothing comes through: ${await inside('ip', ['-statistics', 'link'])}`)
  })
  beforeEach(() => inside('nft', ['flush', 'ruleset']))
  afterAll(async () => {
    for (const plug of [guest, watcher] as (TapPlug | undefined)[]) await plug?.end()
    await run('ip', ['netns', 'delete', name])
  })

  const all = { ...hostileFrames(cast), ...honestFrames(cast) }
  test.each(Object.entries(all))('get through without rules: %s', async (_, frame) => {
    guest.send(frame)
    expect(await comes(frame, PATIENCE_MS)).toBe(true)
  })

  test.each([
    ...Object.keys(hostileFrames(cast)).map((what) => ['do not get through with them', what, false] as const),
    ...Object.keys(honestFrames(cast)).map((what) => ['get through with them', what, true] as const),
  ])('%s: %s', async (_, what, passes) => {
    await withRules()
    const before = watcher.seen.length
    const frame = all[what] ?? Buffer.alloc(0)
    guest.send(frame)
    await settled()
    expect(watcher.seen.slice(before).some((seen) => seen.equals(frame))).toBe(passes)
  })

  test('to everybody get through in part when there are very many', async () => {
    await withRules()
    const [question = Buffer.alloc(0)] = Object.values(honestFrames(cast))
    const flood = Buffer.concat([question, Buffer.from('flood')])
    const count = 20_000
    const before = watcher.seen.length
    for (let sent = 0; sent < count; sent += 1) guest.send(flood)
    // What is meant for one passes all the same.
    const { 'a message to one': last = Buffer.alloc(0) } = honestFrames({
      ...cast,
      other: { ...cast.other, ip: '10.80.0.99' },
    })
    guest.send(last)
    expect(await comes(last, PATIENCE_MS)).toBe(true)
    const passed = watcher.seen.slice(before).filter((seen) => seen.equals(flood)).length
    expect(passed).toBeGreaterThan(0)
    expect(passed).toBeLessThan(count / 2)
  })
})
