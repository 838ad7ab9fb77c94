import type { Selectable } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { UploadTable } from '../db/schema.ts'
import type { UploadRecord } from './upload.state.ts'

const toRecord = ({
  disk_id,
  project_id,
  status,
  status_message,
  name,
  created_at,
  ...upload
}: Selectable<UploadTable> & {
  project_id: string | null
  status: string
  status_message: string | null
  name: string
  created_at: string
}): UploadRecord => ({
  ...upload,
  diskId: disk_id,
  projectId: project_id,
  diskStatus: status,
  diskMessage: status_message,
  name,
  createdAt: created_at,
})

export type UploadRepo = ReturnType<typeof makeUploadRepo>

export function makeUploadRepo(db: Db) {
  const records = (executor: Db = db) =>
    executor
      .selectFrom('upload')
      .innerJoin('disk', 'disk.id', 'upload.disk_id')
      .selectAll('upload')
      .select(['disk.project_id', 'disk.status', 'disk.status_message', 'disk.name', 'disk.created_at'])

  const receiving = (executor: Db = db) =>
    executor
      .selectFrom('upload')
      .innerJoin('disk', 'disk.id', 'upload.disk_id')
      .where('disk.status', '=', 'creating')
      .whereRef('upload.received_bytes', '<', 'upload.file_bytes')

  return {
    async find(diskId: string): Promise<UploadRecord | null> {
      const row = await records().where('upload.disk_id', '=', diskId).executeTakeFirst()
      return row ? toRecord(row) : null
    },

    /** Those of a project whose disk is not there yet, oldest first. */
    async underWay(projectId: string): Promise<UploadRecord[]> {
      const rows = await records()
        .where('disk.project_id', '=', projectId)
        .where('disk.status', '=', 'creating')
        .orderBy('upload.disk_id')
        .execute()
      return rows.map(toRecord)
    },

    /** How many of a project are not complete. */
    async countReceiving(projectId: string, tx: Tx): Promise<number> {
      const { n } = await receiving(tx)
        .where('disk.project_id', '=', projectId)
        .select((e) => e.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
      return Number(n)
    },

    /** The bytes that all uploads have still to bring. */
    async bytesToCome(): Promise<number> {
      const rows = await receiving().select(['upload.file_bytes', 'upload.received_bytes']).execute()
      return rows.reduce((sum, { file_bytes, received_bytes }) => sum + file_bytes - received_bytes, 0)
    },

    async insert(tx: Tx, row: UploadTable): Promise<void> {
      await tx.insertInto('upload').values(row).execute()
    },

    /** Notes that a piece is there; false when the upload has gone on elsewhere, or is over. */
    async advance(diskId: string, from: number, to: number, at: string): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('upload')
          .set({ received_bytes: to, last_received_at: at })
          .where('disk_id', '=', diskId)
          .where('received_bytes', '=', from)
          .where((e) =>
            e.exists(
              e
                .selectFrom('disk')
                .select('disk.id')
                .whereRef('disk.id', '=', 'upload.disk_id')
                .where('disk.status', '=', 'creating'),
            ),
          )
          .executeTakeFirst()
        return numUpdatedRows === 1n
      })
    },

    /** What had arrived is gone. */
    async restart(diskId: string): Promise<void> {
      await db.updateTable('upload').set({ received_bytes: 0 }).where('disk_id', '=', diskId).execute()
    },

    /** Of these, the disks that still need their files. */
    async needed(diskIds: readonly string[]): Promise<Set<string>> {
      if (diskIds.length === 0) return new Set()
      const rows = await records()
        .where('upload.disk_id', 'in', [...diskIds])
        .where('disk.status', '=', 'creating')
        .execute()
      return new Set(rows.map(({ disk_id }) => disk_id))
    },
  }
}
