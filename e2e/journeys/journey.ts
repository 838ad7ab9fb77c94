/** The tests that take place in a world: which one, the project says. */

import { test as base } from '../measured.ts'
import { newClusterWorld } from './cluster-world.ts'
import { newHostWorld } from './host-world.ts'
import type { World } from './world.ts'

export interface WorldOptions {
  /** What runs the guests. */
  engine: 'qemu' | 'kubevirt'
}

interface Fixtures extends WorldOptions {
  newWorld: () => Promise<World>
}

export const test = base.extend<object, Fixtures>({
  engine: ['qemu', { option: true, scope: 'worker' }],
  newWorld: [
    async ({ engine }, use) => use(() => (engine === 'qemu' ? newHostWorld() : newClusterWorld())),
    { scope: 'worker' },
  ],
})
