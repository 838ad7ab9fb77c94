/** A live guest that sends hostile frames, and what of them comes out where others of its network are. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Cast,
  frameSender,
  honestFrames,
  hostileFrames,
  type Party,
  plugInto,
} from './frames.test-kit.ts'
import type { Namespace } from './namespace.ts'

const PATIENCE_MS = 60_000

/**
 * Watches at a tap beside those of the guests: a bridge hands it whatever is for everybody or for nobody.
 *
 * @param from.inGuest runs a command in the guest that sends
 */
export async function watchFrames(
  { inside, entry }: Namespace,
  bridge: string,
  from: { own: Party; other: Party; inGuest: (command: string) => Promise<string>; dir: string },
) {
  const { own, other, inGuest } = from
  const commands = [
    'tuntap add dev watcher mode tap',
    `link set watcher master ${bridge}`,
    'link set watcher up',
  ]
  await inside('ip', ['-batch', '-'], `${commands.join('\n')}\n`)
  const watcher = await plugInto('watcher', from.dir, entry)
  const shown = async (what: string, wanted: RegExp) =>
    wanted.exec(await inside('ip', [what, 'show', bridge]))?.[1] ?? ''
  const gateway = {
    mac: await shown('link', /ether (\S+)/),
    ip: await shown('address', /inet ([\d.]+)/),
  }
  const cast: Cast = { own, other, gateway }
  const index = Number(await inGuest('cat /sys/class/net/eth0/ifindex'))
  const program = frameSender(index).toString('base64')
  await inGuest(`echo ${program} | base64 -d > /tmp/send-frame; chmod +x /tmp/send-frame`)

  async function send(frames: readonly Buffer[]): Promise<void> {
    const lines = frames.map((frame) => frame.toString('base64')).join(' ')
    await inGuest(`for line in ${lines}; do echo $line | base64 -d | /tmp/send-frame; done`)
  }
  const honest = Object.entries(honestFrames(cast))
  const all = [...Object.entries(hostileFrames(cast)), ...honest]
  const passedSince = (before: number) =>
    all.filter(([, frame]) => watcher.seen.slice(before).some((seen) => seen.equals(frame)))
  const names = (some: typeof all) => some.map(([what]) => what)

  return {
    cast,
    send,
    /** What guests may send, by what it is. */
    honest: names(honest),
    /** What comes through of all that a guest may and may not send. */
    async passing(): Promise<string[]> {
      const before = watcher.seen.length
      await send(all.map(([, frame]) => frame))
      // The last are those that may pass, so that nothing sent before is still on its way.
      for (const end = performance.now() + PATIENCE_MS; ; await sleep(20)) {
        const passed = names(passedSince(before))
        if (honest.every(([what]) => passed.includes(what))) return passed
        if (performance.now() > end) throw new Error('What a guest may send does not come through')
      }
    },
    /** Has the guest send all of it over and over, until `end` says what came through since. */
    async flood() {
      const before = watcher.seen.length
      const last = honest.at(-1)?.[1] ?? Buffer.alloc(0)
      const rounds = () => watcher.seen.slice(before).filter((seen) => seen.equals(last)).length
      const files = all.map(
        ([, frame], at) => `echo ${frame.toString('base64')} | base64 -d > $d/${100 + at}`,
      )
      await inGuest(`d=/tmp/frames; mkdir $d\n${files.join('\n')}
        (while [ -d $d ]; do for frame in $d/*; do /tmp/send-frame < $frame; done; done) > /dev/null 2>&1 &`)
      /** Waits until the guest has sent all of it so many times more. */
      async function pass(count: number): Promise<void> {
        const goal = rounds() + count
        for (const end = performance.now() + PATIENCE_MS; rounds() < goal; await sleep(20))
          if (performance.now() > end) throw new Error('The guest sends no more, or nothing comes through')
      }
      await pass(1)
      return {
        pass,
        async end(): Promise<{ passed: string[]; rounds: number }> {
          // Whatever was sent by now has been judged when all of it was sent once more.
          await pass(2)
          await inGuest('rm -r /tmp/frames')
          return { passed: names(passedSince(before)), rounds: rounds() }
        },
      }
    },
    end: () => watcher.end(),
  }
}
