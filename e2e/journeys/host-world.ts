import { clear, greeting, guestsOf, newDataDir, startRealServer } from './real.ts'
import { type Belongings, nothing, strays } from './storage.ts'
import type { World } from './world.ts'

/** Guests of QEMU on this host. */
export async function newHostWorld(): Promise<World> {
  const dataDir = await newDataDir()
  const guests = async () =>
    (await guestsOf(dataDir)).map(({ pid, machineId }) => ({ machineId, run: `${pid}` }))
  async function left(had: Belongings = nothing): Promise<string[]> {
    const ids = had.vms.map(({ id }) => id)
    const strangers = (await guests()).filter(({ machineId }) => !ids.includes(machineId))
    return [...strangers.map(({ machineId }) => `guest ${machineId}`), ...(await strays(dataDir, had))]
  }
  return {
    dataDir,
    start: (settings) => startRealServer(dataDir, settings),
    guests,
    left,
    leftOfProjects: () => left(),
    async crash(machineId) {
      const guest = (await guestsOf(dataDir)).find((one) => one.machineId === machineId)
      if (guest) process.kill(guest.pid, 'SIGKILL')
    },
    crashIsReboot: false,
    played: null,
    openShell: async () => greeting,
    close: () => clear(dataDir),
  }
}
