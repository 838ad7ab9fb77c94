import { z } from 'zod'
import { diskTexts } from './disk.rules.ts'
import { DiskSize } from './disk.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ProjectParams } from './project.ts'
import { diskSizeLimitGi } from './quantity.ts'
import { quotaRefusal } from './quota.rules.ts'
import { hasHiddenCharacters } from './text.rules.ts'
import { description, Id, name, Time } from './text.ts'
import { uploadLimits, uploadStates, uploadTexts } from './upload.rules.ts'

const t = uploadTexts

const UploadState = z.enum(uploadStates).meta({ id: 'UploadState' })

/** A file that becomes a disk. */
export const Upload = z.object({
  /** The same as that of the disk. */
  id: Id,
  project_id: Id,
  /** Of the disk. */
  name: z.string(),
  state: UploadState,
  /** Why it failed, or what it waits for. */
  status_message: z.string().nullable(),
  file_name: z.string(),
  file_bytes: z.int(),
  /** What arrived and is on the disk of the server: the next piece begins here. */
  received_bytes: z.int(),
  /** What the client said of the file, to find it again. */
  file_mark: z.string().nullable(),
  file_modified_at: Time.nullable(),
  /** SHA-256 that the file has to have, in hex; null: any. */
  sha256: z.string().nullable(),
  /** When the last piece arrived. */
  last_received_at: Time,
  /** When it is removed unless another piece arrives before. */
  expires_at: Time,
  created_at: Time,
})
export type Upload = z.infer<typeof Upload>

export const UploadCreate = z.object({
  /** Of the disk. */
  name: name(diskTexts.nameMissing),
  /** Of the disk; it becomes larger where the image in the file is. */
  size: DiskSize,
  description,
  file_name: z
    .string({ error: t.fileNameMissing })
    .trim()
    .min(1, t.fileNameMissing)
    .max(uploadLimits.fileName, t.fileNameTooLong)
    .refine((text) => !hasHiddenCharacters(text), 'Use a file name without control characters'),
  file_bytes: z.int({ error: t.fileNameMissing }).min(1, t.fileEmpty),
  /** Opaque to the server; a client finds out by it whether a file is the one it began with. */
  file_mark: z.string().max(64, 'Use at most 64 characters').optional(),
  file_modified_at: Time.optional(),
  sha256: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[0-9a-f]{64}$/, t.checksumInvalid)
    .optional(),
})
export type UploadCreate = z.input<typeof UploadCreate>

export const UploadParams = ProjectParams.extend({ uploadId: Id })

const notFound = [messages.projectNotFound, t.notFound]

export const uploadApi = {
  list: endpoint('upload.list', {
    summary: 'The uploads of a project that are not complete, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(Upload),
    errors: { 404: [messages.projectNotFound] },
  }),
  create: endpoint('upload.create', {
    summary: 'Create a disk from a file, whose bytes are sent afterwards',
    auth: 'session',
    status: 201,
    idempotent: true,
    params: ProjectParams,
    body: UploadCreate,
    response: Upload,
    errors: {
      400: [
        diskTexts.nameMissing,
        diskTexts.sizeMissing,
        `Disk size cannot exceed ${diskSizeLimitGi}Gi`,
        t.fileNameMissing,
        t.fileEmpty,
        'The file is larger than the limit of <size>. Choose a smaller file.',
        t.checksumInvalid,
      ],
      404: [messages.projectNotFound],
      409: [
        quotaRefusal,
        t.tooMany,
        'The server does not have enough disk space for this file: <size> are needed, and <size> are free.',
      ],
      422: ['<`cannot.disk_files` of the host>'],
    },
  }),
  get: endpoint('upload.get', {
    summary: 'How far an upload is; `received_bytes` says where it continues',
    auth: 'session',
    status: 200,
    params: UploadParams,
    response: Upload,
    errors: { 404: notFound },
  }),
  send: endpoint('upload.send', {
    summary: 'Send the next piece of a file; it is answered when the piece is stored durably',
    auth: 'session',
    status: 200,
    params: UploadParams,
    query: z.object({
      /** The first byte of the piece, counted from 0; has to be `received_bytes`, or what was sent before is sent again. */
      offset: z.coerce.number({ error: 'Give the offset of the piece in bytes' }).int().min(0).default(0),
    }),
    takes: 'file',
    bodyBytes: uploadLimits.pieceBytes,
    response: Upload,
    errors: {
      400: [t.pieceEmpty, t.pieceBroken, t.pastTheEnd],
      404: notFound,
      409: ['This upload continues at byte <number>.', t.busy, t.over, t.complete, t.gone],
      408: [t.tooSlow],
      413: [t.pieceTooLarge],
      429: [t.manyPieces],
      503: [t.full],
    },
  }),
  cancel: endpoint('upload.cancel', {
    summary: 'Cancel an upload: what arrived is deleted, and so is the disk',
    auth: 'session',
    status: 204,
    params: UploadParams,
    errors: { 404: notFound, 409: [t.over] },
  }),
}
