/** Those who listen lose their connections. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../host.ts'
import { everywhere, type Fault } from './fault.ts'

export const ofListeners: readonly Fault<Host>[] = [
  {
    name: 'cut-streams',
    weight: 3,
    engines: everywhere,
    harsh: false,
    async deal(_host, random, { cutStreams }) {
      for (let times = 1 + random.below(10); times > 0; times--) {
        cutStreams()
        await sleep(random.below(1_000))
      }
    },
  },
]
