import { rename, rm } from 'node:fs/promises'
import { run } from '../../../lib/command.ts'
import { flush } from '../../../lib/flush.ts'
import { MEMORY_FD } from '../command-line.ts'
import { statusOf } from '../memory.ts'
import { type Qmp, QmpError } from '../qmp.ts'

/**
 * Puts a copy of a frozen guest's disk in the place of a root disk. It holds a few megabytes, and stands on the boot image
 * like every other, so that copies, restores and backups of it need nothing of the frozen guest.
 */
export async function copyRoot(from: string, to: string): Promise<void> {
  const fresh = `${to}.new`
  try {
    await run('cp', ['--reflink=auto', '--', from, fresh])
    await flush(fresh)
    await rename(fresh, to)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}

/** Has QEMU begin to load the devices of a frozen guest, when it has not yet; the memory is a file that it has mapped. */
export async function beginLoading(qmp: Qmp): Promise<void> {
  if ((await statusOf(qmp)) !== 'inmigrate') return
  try {
    await memoryIsApart(qmp, true)
    await qmp.execute('migrate-incoming', { uri: `fd:${MEMORY_FD}` })
  } catch (error) {
    // An earlier process may have begun it.
    if (!(error instanceof QmpError)) throw error
  }
}

/** Whether saved states leave out memory that is a file. None but that of a frozen guest does. */
export const memoryIsApart = (qmp: Qmp, state: boolean): Promise<unknown> =>
  qmp.execute('migrate-set-capabilities', { capabilities: [{ capability: 'x-ignore-shared', state }] })
