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

  return {
    cast,
    send,
    /** What guests may send, by what it is. */
    honest: honest.map(([what]) => what),
    /** What comes through of all that a guest may and may not send. */
    async passing(): Promise<string[]> {
      const all = [...Object.entries(hostileFrames(cast)), ...honest]
      const before = watcher.seen.length
      const came = ([, frame]: [what: string, frame: Buffer]) =>
        watcher.seen.slice(before).some((seen) => seen.equals(frame))
      await send(all.map(([, frame]) => frame))
      // The last are those that may pass, so that nothing sent before is still on its way.
      for (const end = performance.now() + PATIENCE_MS; !honest.every(came); await sleep(20))
        if (performance.now() > end) throw new Error('What a guest may send does not come through')
      return all.filter(came).map(([what]) => what)
    },
    end: () => watcher.end(),
  }
}
