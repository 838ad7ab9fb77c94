/** Faults of guests and of the programs that copy and build for them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { guestsOf, hostTableOf, namespaceOf } from '@slipway/e2e/real'
import type { OneServer } from '../host.ts'
import { attackFrom } from '../hostile-guest.ts'
import { childrenOf, type Fault, run, signal } from './fault.ts'

export const ofGuests: readonly Fault<OneServer>[] = [
  {
    name: 'kill-qemu',
    weight: 3,
    engines: ['qemu'],
    harsh: true,
    async deal(host, random) {
      signal(random.pick(await guestsOf(host.dataDir))?.pid, 'SIGKILL')
    },
  },
  {
    name: 'freeze-qemu',
    weight: 2,
    engines: ['qemu'],
    harsh: true,
    async deal(host, random) {
      const guest = random.pick(await guestsOf(host.dataDir))
      signal(guest?.pid, 'SIGSTOP')
      await sleep(5_000 + random.below(20_000))
      signal(guest?.pid, 'SIGCONT')
    },
  },
  {
    name: 'kill-copy',
    weight: 2,
    engines: ['qemu'],
    harsh: true,
    async deal(host, random) {
      for (let tries = 0; tries < 100; tries++) {
        const pid = random.pick(await childrenOf(host.pid, /^qemu-img|^qemu-storage|^mmdebstrap/))
        if (pid) return signal(pid, 'SIGKILL')
        await sleep(50)
      }
    },
  },
  {
    name: 'hostile-guest',
    weight: 3,
    engines: ['qemu'],
    harsh: true,
    async deal(_host, random, { guests }) {
      const guest = random.pick(await guests())
      if (guest) await attackFrom(guest, 'lines')
    },
  },
  {
    name: 'flush-firewall',
    weight: 1,
    engines: ['qemu'],
    harsh: false,
    missing: () => (process.getuid?.() === 0 ? null : 'only root has a firewall'),
    async deal(host, random) {
      const name = await namespaceOf(host.dataDir)
      // Only Slipway's table; a reload of the host's rules would take others along.
      const table = name === null ? 'slipway' : hostTableOf(name)
      if (name === null || random.below(2) === 0)
        await run('nft', ['delete', 'table', 'inet', table]).catch(() => {})
      else await run('ip', ['netns', 'exec', name, 'nft', 'flush', 'ruleset']).catch(() => {})
    },
  },
  {
    name: 'hostile-network',
    weight: 3,
    engines: ['qemu'],
    harsh: true,
    async deal(_host, random, { guests }) {
      const guest = random.pick(await guests())
      if (guest) await attackFrom(guest, 'network')
    },
  },
]
