/** The server ends, stops, loses its connections, or runs out of descriptors. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OneServer } from '../host.ts'
import { openDescriptors } from '../truth.ts'
import { everywhere, type Fault, run, signal } from './fault.ts'

export const ofServer: readonly Fault<OneServer>[] = [
  {
    name: 'kill-server',
    weight: 8,
    engines: everywhere,
    harsh: false,
    async deal(host) {
      await host.kill()
      await host.start()
    },
  },
  {
    name: 'kill-at-start',
    weight: 3,
    engines: everywhere,
    harsh: false,
    async deal(host, random) {
      await host.kill()
      for (let times = 1 + random.below(3); times > 0; times--)
        await host.startAndKill(100 + random.below(2_000))
      await host.start()
    },
  },
  {
    name: 'stop-server',
    weight: 1,
    engines: everywhere,
    harsh: false,
    async deal(host) {
      await host.stop()
      await host.start()
    },
  },
  {
    name: 'freeze-server',
    weight: 1,
    engines: everywhere,
    harsh: false,
    async deal(host, random) {
      const { pid } = host
      host.expectSilence(true)
      signal(pid, 'SIGSTOP')
      await sleep(500 + random.below(4_000))
      signal(pid, 'SIGCONT')
      await sleep(500)
      host.expectSilence(false)
    },
  },
  {
    name: 'few-descriptors',
    weight: 1,
    engines: everywhere,
    harsh: true,
    async deal(host, random) {
      const { pid } = host
      const spare = random.below(8)
      const limits = await readFile(`/proc/${pid}/limits`, 'utf8')
      const before = /^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? '1024'
      host.expectSilence(true)
      await run('prlimit', ['--pid', `${pid}`, `--nofile=${(await openDescriptors(pid)) + spare}:`])
      await sleep(1_000 + random.below(3_000))
      await run('prlimit', ['--pid', `${pid}`, `--nofile=${before}:`])
      await sleep(500)
      host.expectSilence(false)
    },
  },
]
