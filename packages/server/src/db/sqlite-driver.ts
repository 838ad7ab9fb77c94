import { type DatabaseConnection, type SqliteDatabase, SqliteDriver } from 'kysely'
import { withRoom } from '../lib/way-out.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

export interface Adapted extends SqliteDatabase {
  /** Whether something was written since the last call. */
  takeWritten(): boolean
}

/** One connection, used by one at a time; who has written waits for the disk after giving it back. */
export class WaitingSqliteDriver extends SqliteDriver {
  readonly #database: Adapted
  readonly #log: WriteAheadLog | null
  readonly #makeRoom: () => boolean
  #last: Promise<void> = Promise.resolve()
  #giveBack: () => void = () => {}

  constructor(database: Adapted, log: WriteAheadLog | null, makeRoom: () => boolean) {
    super({ database })
    this.#database = database
    this.#log = log
    this.#makeRoom = makeRoom
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    this.#giveBack = resolve
    return super.acquireConnection()
  }

  override async releaseConnection(): Promise<void> {
    const hasWritten = this.#database.takeWritten()
    this.#giveBack()
    const log = this.#log
    if (hasWritten && log) await withRoom(this.#makeRoom, () => log.flush())
  }

  override async destroy(): Promise<void> {
    await this.#log?.close()
    await super.destroy()
  }
}
