import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { Qmp } from './qmp.ts'
import { bytesIn } from './usage.ts'

export const LOOK_EVERY_MS = 10_000
/**
 * A kernel mounts its root file system after a few seconds of processor time. One that has worked for this long and
 * has not is not slow, it hangs.
 */
export const HUNG_MS = 60_000
/** Firmware, and a kernel that looks which disks there are, read less; who mounts a file system reads more. */
export const MOUNTED_BYTES = 64 * 1024
/** A guest that hangs after each of them has another cause; the deadline of its start ends it. */
export const MOST_RESETS = 3

/** How far a guest is, counted since its process began. */
interface Figures {
  readBytes: number
  workedMs: number
}

/**
 * Resets a guest whose kernel hangs before it has read its disk, so that nothing is lost by it. Under TCG a guest of
 * two processors does so once in some tens of boots: it runs in a loop of its kernel for ever, with interrupts off.
 * The next boot is as good as any.
 */
export function watchBoot(deps: {
  machineId: string
  qmp: Qmp
  log: Log
  /** Milliseconds for which its processors have worked; null when it is gone. */
  workedMs: () => Promise<number | null>
  /** It ends instead of rebooting, as one that does not keep its root disk. */
  endsAtReboot: boolean
}): { begin(): void; again(): Promise<void>; stop(): void } {
  const { machineId, qmp, log, workedMs, endsAtReboot } = deps
  let timer: NodeJS.Timeout | undefined
  let over = false
  let booting = false
  let resets = 0
  /** Where it stood when this boot began. */
  let before: Figures = { readBytes: 0, workedMs: 0 }

  async function figures(): Promise<Figures | null> {
    const [blocks, worked] = await Promise.all([qmp.execute('query-blockstats'), workedMs()])
    const bytes = bytesIn(blocks)
    return bytes === null || worked === null ? null : { readBytes: bytes.read, workedMs: worked }
  }

  async function look(): Promise<void> {
    const now = await figures().catch(() => null)
    if (over) return
    if (now !== null && now.readBytes - before.readBytes >= MOUNTED_BYTES) return hasBooted()
    if (now !== null && now.workedMs - before.workedMs >= HUNG_MS) {
      if (resets === MOST_RESETS) return
      resets += 1
      before = now
      log.warn(
        { machine: machineId, resets },
        'A guest hung while its kernel booted, and is booted once more',
      )
      await reset()
    }
    lookAgain()
  }

  /** After a reset from outside the firmware makes one of its own, which must not end the machine either. */
  async function reset(): Promise<void> {
    if (endsAtReboot) await qmp.execute('set-action', { reboot: 'reset' })
    await qmp.execute('system_reset')
  }

  async function hasBooted(): Promise<void> {
    booting = false
    // An earlier process may have reset it, too.
    if (endsAtReboot) await qmp.execute('set-action', { reboot: 'shutdown' })
  }

  function lookAgain(): void {
    clearTimeout(timer)
    if (over) return
    timer = setTimeout(() => inBackground(log, 'watching a guest boot', look()), LOOK_EVERY_MS)
    timer.unref()
  }

  async function beginAnew(): Promise<void> {
    booting = true
    resets = 0
    before = (await figures()) ?? before
    lookAgain()
  }

  function stop(): void {
    over = true
    clearTimeout(timer)
  }

  qmp.onEvent(['RESET'], ({ data }) => {
    if (data.guest === true && !booting) inBackground(log, 'watching a guest boot again', beginAnew())
  })
  qmp.onClose(stop)

  return {
    /** It was just started, or was found and may still boot. */
    begin(): void {
      booting = true
      lookAgain()
    },
    /** Boots it whatever it does now. */
    async again(): Promise<void> {
      await beginAnew()
      await reset()
    },
    stop,
  }
}
