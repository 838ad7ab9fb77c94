import type { Log } from '../../../lib/log.ts'
import type { Ground } from './ground.ts'
import { clearAbandonedByRoot } from './namespace.ts'
import { makeRootGround } from './root-ground.ts'
import { clearAbandonedByUser, makeUserGround } from './user-ground.ts'

export const isRoot = (): boolean => process.getuid?.() === 0

/** What project networks stand on where this server runs. */
export const groundIn = (dataDir: string, log: Pick<Log, 'warn'>): Ground =>
  isRoot() ? makeRootGround(dataDir) : makeUserGround(dataDir, log)

/** Removes what data directories that are gone have left of networks. */
export const clearAbandoned = (): Promise<void> =>
  isRoot() ? clearAbandonedByRoot() : clearAbandonedByUser()
