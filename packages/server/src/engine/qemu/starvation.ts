import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { statusOf } from './memory.ts'
import type { Qmp } from './qmp.ts'

const RETRY_MS = 10_000

/**
 * Lets a guest go on that stands still because the host could not write what it writes: tried again and again until
 * there is room. Returns the way to begin with a guest that stands still already.
 */
export function watchStarvation(machineId: string, qmp: Qmp, log: Log): { begin(): void } {
  let over = false
  let timer: NodeJS.Timeout | undefined

  async function goOnWhenThereIsRoom(): Promise<void> {
    if (over || (await statusOf(qmp)) !== 'io-error') return
    log.warn({ machine: machineId }, 'A guest is on hold because the host cannot write what it writes')
    await qmp.execute('cont')
    begin()
  }

  function begin(): void {
    clearTimeout(timer)
    timer = setTimeout(() => inBackground(log, 'letting a guest go on', goOnWhenThereIsRoom()), RETRY_MS)
    timer.unref()
  }

  qmp.onEvent(['STOP'], begin)
  qmp.onClose(() => {
    over = true
    clearTimeout(timer)
  })
  return { begin }
}
