import { type Upload, uploadStateOf } from '@slipway/contract'

/** A stored upload, with what is known of its disk. */
export interface UploadRecord {
  diskId: string
  /** Null once the project is gone. */
  projectId: string | null
  diskStatus: string
  diskMessage: string | null
  name: string
  createdAt: string
  file_name: string
  file_bytes: number
  received_bytes: number
  file_mark: string | null
  file_modified_at: string | null
  sha256: string | null
  last_received_at: string
}

const hourMs = 3_600_000

/** When it is removed unless another piece arrives before, in milliseconds since the epoch. */
export const expiryOf = ({ last_received_at }: { last_received_at: string }, hours: number): number =>
  Date.parse(last_received_at) + hours * hourMs

/** An upload as it goes over the wire. */
export const toUpload = (record: UploadRecord, hours: number): Upload => ({
  id: record.diskId,
  project_id: record.projectId ?? '',
  name: record.name,
  state: uploadStateOf(record.diskStatus, record),
  status_message: record.diskMessage,
  file_name: record.file_name,
  file_bytes: record.file_bytes,
  received_bytes: record.received_bytes,
  file_mark: record.file_mark,
  file_modified_at: record.file_modified_at,
  sha256: record.sha256,
  last_received_at: record.last_received_at,
  expires_at: new Date(expiryOf(record, hours)).toISOString(),
  created_at: record.createdAt,
})
