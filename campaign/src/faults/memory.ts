/** Memory is short: for the server, for the programs that copy and build, and for guests that want to start. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OneServer } from '../host.ts'
import { both, childrenOf, type Fault, run, startIfEnded } from './fault.ts'

const mib = 1024 ** 2

/** Lets a process have no more memory than it has, but for so many bytes; null lets it have any again. */
async function limitMemory(pid: number, spare: number | null): Promise<void> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const size = Number(/^VmSize:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024
  if (size === 0) return
  const limit = spare === null ? 'unlimited' : `${size + spare}`
  // The soft limit only, which may be raised again. It has ended when this fails.
  await run('prlimit', ['--pid', `${pid}`, `--as=${limit}:`]).catch(() => {})
}

export const ofMemory: readonly Fault<OneServer>[] = [
  {
    name: 'memory-short',
    weight: 2,
    engines: both,
    harsh: true,
    async deal(host, random) {
      const { pid } = host
      // It may stand still while it looks for memory, and it may end.
      host.expectSilence(true)
      await limitMemory(pid, random.below(3) * 8 * mib)
      await sleep(1_000 + random.below(5_000))
      await limitMemory(pid, null)
      await sleep(500)
      await startIfEnded(host)
      host.expectSilence(false)
    },
  },
  {
    name: 'memory-short-copy',
    weight: 2,
    engines: ['qemu'],
    harsh: true,
    async deal(host, random) {
      const until = Date.now() + 3_000 + random.below(5_000)
      while (Date.now() < until) {
        for (const pid of await childrenOf(host.pid, /^qemu-img|^qemu-storage|^mmdebstrap/))
          await limitMemory(pid, random.below(4) * mib)
        await sleep(20)
      }
    },
  },
  {
    name: 'memory-short-host',
    weight: 2,
    engines: ['qemu'],
    harsh: false,
    async deal(host, random) {
      await host.tell({ freeMb: random.below(600) })
      await sleep(5_000 + random.below(15_000))
      await host.tell({ freeMb: null })
    },
  },
]
