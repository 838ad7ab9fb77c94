import { type ImageStore, STARTER_IMAGE } from '../../image/image-store.ts'
import { run } from '../../lib/command.ts'
import type { Log } from '../../lib/log.ts'
import { type Accelerator, type AcceleratorChoice, chooseAccelerator } from './accelerator.ts'
import { QEMU } from './launch.ts'
import { type GuestNetwork, type NetworkWishes, openNetwork } from './network/network.ts'
import { readBootId } from './process.ts'

/** What an engine finds out about its host once, when it is opened. */
export interface HostFacts {
  accelerator: Accelerator
  network: GuestNetwork
  bootId: string
  /** The installed version of QEMU; empty when there is none. */
  qemu: string
  /** The kernel's unit of CPU time. */
  ticksPerSecond: number
}

export async function findHostFacts(deps: {
  dataDir: string
  accelerator: AcceleratorChoice
  network: NetworkWishes
  images: ImageStore
  log: Log
}): Promise<HostFacts> {
  const network = await openNetwork(deps.log, deps.network)
  const starter = () => deps.images.use(STARTER_IMAGE).catch(() => null)
  const accelerator = await chooseAccelerator(deps.accelerator, deps.dataDir, starter)
  const qemu = /version ([\d.]+)/.exec(await run(QEMU, ['--version']).catch(() => ''))?.[1] ?? ''
  const ticksPerSecond = Number(await run('getconf', ['CLK_TCK']).catch(() => '100'))
  return { accelerator, network, bootId: await readBootId(), qemu, ticksPerSecond }
}
