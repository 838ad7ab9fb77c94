/**
 * What still has to be possible on a full disk: the calls that end or delete something, and what the server stores by
 * itself. Only that may give up the ballast (ballast.ts), down to the database (db/sqlite.ts); what else needs room is
 * refused.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const isSo = new AsyncLocalStorage<boolean>()

/** Does something that still has to be possible on a full disk, and all that it begins; or says that it need not be. */
export const asWayOut = <T>(act: () => T, isWayOut = true): T => isSo.run(isWayOut, act)

/** Whether the present code may give up the ballast. */
export const isWayOut = (): boolean => isSo.getStore() ?? false

/** SQLite's numbers for a file that could not grow, the log's index among them: SQLITE_FULL and SQLITE_IOERR_SHMSIZE. */
const sqliteIsFull = (errcode: number): boolean => (errcode & 0xff) === 13 || errcode === 4874

/** Whether an error, or what caused it, says that a disk took no more. */
export function isDiskFull(error: unknown): boolean {
  for (let one = error, depth = 0; typeof one === 'object' && one !== null && depth < 8; depth++) {
    const { code, errcode, stderr, cause } = one as Record<string, unknown>
    if (code === 'ENOSPC' || code === 'EDQUOT') return true
    if (typeof errcode === 'number' && sqliteIsFull(errcode)) return true
    if (typeof stderr === 'string' && /no space left/i.test(stderr)) return true
    one = cause
  }
  return false
}

/** Does something once more, as often as it finds the disk full and room can be made for it. */
export async function withRoom<T>(makeRoom: () => boolean, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!isDiskFull(error) || !makeRoom()) throw error
    }
  }
}
