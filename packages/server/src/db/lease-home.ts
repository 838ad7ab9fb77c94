/**
 * The data directory to which a database in PostgreSQL belongs, when only the server on that host can drive its VMs: as
 * with QEMU, whose guests are processes there. The first server that takes the lease writes it into the row.
 */
import { type Clock, systemClock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { type LeaseRow, lookMs, makeWatch, openLeaseRow } from './lease-row.ts'

export class HomeElsewhere extends Error {
  constructor({ home, holder }: LeaseRow, mine: string | null) {
    const used = holder === null ? '' : `, used by ${holder}`
    super(
      `The VMs in this database belong to another data directory: ${home}${used}. Only the server of that directory can run them. Start that server, or set SLIPWAY_DATABASE_URL to another database. If that data directory is lost, or this one (${mine ?? 'which has no id yet'}) has replaced it, run: npm run database -- adopt`,
    )
  }
}

/** Throws a sentence when the database that a URL names belongs to another data directory than that with this id. */
export async function requireHome(url: string, mine: string | null): Promise<void> {
  const row = openLeaseRow(url)
  try {
    const seen = await row.read().catch(noTable)
    if (seen && seen.home !== null && seen.home !== mine) throw new HomeElsewhere(seen, mine)
  } finally {
    await row.close()
  }
}

/**
 * Makes a database belong to the data directory with this id. `tell` hears what is about to be done. Throws a sentence
 * when there is nothing to do, and when a server drives: that is watched for as long as another server would.
 */
export async function adoptHome(
  url: string,
  mine: string,
  tell: (line: string) => void,
  clock: Pick<Clock, 'monotonic' | 'after'> = systemClock,
): Promise<void> {
  const row = openLeaseRow(url)
  try {
    const first = await row.read().catch(noTable)
    if (!first || first.home === null)
      throw new Error('The database does not belong to a data directory yet. Start the server.')
    if (first.home === mine)
      throw new Error('The database belongs to this data directory already. Start the server.')
    tell(
      `The VMs in this database belong to the data directory ${first.home}. From now on they will belong to this one (${mine}): VMs, disks and snapshots whose files are not here will show an error, and the server on the other data directory will no longer manage them.`,
    )
    const watch = makeWatch()
    for (;;) {
      const begun = clock.monotonic()
      const seen = await row.read()
      if (seen.number !== first.number || seen.beat !== first.beat) throw new Error(stillRuns(seen))
      if (seen.holder === null || watch.isSilent(seen, begun, clock.monotonic())) {
        if ((await row.moveTo(seen, mine)) === null) throw new Error(stillRuns(seen))
        return
      }
      await pause(clock, lookMs)
    }
  } finally {
    await row.close()
  }
}

const stillRuns = ({ holder }: LeaseRow): string =>
  `A server is using the database${holder === null ? '' : ` (${holder})`}. Nothing was changed. Stop it first.`

/** A database that no server of this version has opened yet. */
function noTable(error: unknown): null {
  // undefined_table
  if (error instanceof Error && 'code' in error && error.code === '42P01') return null
  throw error
}
