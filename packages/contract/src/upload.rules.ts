/** Files that become disks, sent in pieces. */

const mebibyte = 1024 ** 2

export const uploadLimits = {
  /** The largest piece, in bytes. */
  pieceBytes: 8 * mebibyte,
  /** The first bytes of a file that tell it from another one of the same name and size. */
  markBytes: 64 * 1024,
  /** Characters of the name of a file. */
  fileName: 255,
  /** Uploads of a project that are not complete. */
  perProject: 20,
} as const

export const uploadTexts = {
  fileNameMissing: 'Please choose a file',
  fileNameTooLong: 'Use a file name of at most 255 characters',
  fileEmpty: 'The file is empty. Choose another file.',
  checksumInvalid: 'Enter the SHA-256 checksum as 64 hexadecimal digits, or leave it empty',
  notFound: 'Upload not found',
  tooMany: `A project can have at most ${uploadLimits.perProject} uploads that are not complete. Finish or cancel one of them first.`,
  complete: 'All bytes of this file have arrived.',
  over: 'This upload is over. Create a new disk to upload the file again.',
  pieceEmpty: 'A piece must have at least one byte',
  pieceTooLarge: `A piece can have at most ${uploadLimits.pieceBytes / mebibyte} MiB`,
  pieceBroken: 'The piece did not arrive whole. Send it again.',
  pieceType: 'Send the bytes of the file as application/octet-stream',
  pastTheEnd: 'The piece goes beyond the end of the file',
  busy: 'Another window or program is sending this file at the moment',
  gone: 'What had arrived of this file is no longer on the server. Send the file from its beginning.',
  full: 'The server has no disk space left. The upload continues from here as soon as there is space.',
  manyPieces: 'You are sending too many files at the moment. Wait for one of them to finish.',
  tooSlow: 'The file is arriving too slowly. Send smaller pieces, or try again over a faster connection.',
  receiving: 'Receiving the file',
  checking: 'Checking the file and writing it to the disk',
} as const

/** Words in `code` of a refusal that a program acts on. */
export const uploadCodes = {
  /** `received_bytes` of the upload says where it continues. */
  offset: 'upload_offset',
  busy: 'upload_busy',
} as const

export const uploadStates = ['receiving', 'checking', 'completed', 'failed'] as const
export type UploadState = (typeof uploadStates)[number]

/** How it is with an upload, from the status of its disk and what has arrived. */
export function uploadStateOf(
  diskStatus: string,
  { received_bytes, file_bytes }: { received_bytes: number; file_bytes: number },
): UploadState {
  if (diskStatus === 'failed') return 'failed'
  if (diskStatus !== 'creating') return 'completed'
  return received_bytes < file_bytes ? 'receiving' : 'checking'
}

/** Whether a disk waits for bytes of the file that it is made from. */
export const isReceivingFile = (disk: {
  source: string
  status: string
  status_message: string | null
}): boolean =>
  disk.source === 'upload' &&
  disk.status.toLowerCase() === 'creating' &&
  disk.status_message === uploadTexts.receiving

export const wrongOffset = (received: number): string => `This upload continues at byte ${received}.`

export const fileTooLargeText = (limit: string): string =>
  `The file is larger than the limit of ${limit}. Choose a smaller file.`

export const noRoomFor = (needed: string, free: string): string =>
  `The server does not have enough disk space for this file: ${needed} are needed, and ${free} are free.`

export const uploadExpired = (hours: number): string =>
  `The upload was removed because no data arrived for ${hours === 1 ? 'an hour' : `${hours} hours`}.`

/** How long an upload waits for its next byte, in hours, unless the operator says otherwise. */
export const uploadHoursDefault = 24

/**
 * What tells a file from another one of the same name and size: its first bytes in short. Not a checksum; nobody is
 * kept from making two files alike.
 */
export function fileMark(start: Uint8Array): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b9]
  for (const byte of start.subarray(0, uploadLimits.markBytes)) {
    a = Math.imul(a ^ byte, 0x01000193)
    b = Math.imul(b + byte, 0x85ebca6b) ^ (b >>> 13)
  }
  return [a, b].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
}

type FileLike = {
  file_name: string
  file_bytes: number
  file_mark: string | null
  file_modified_at: string | null
}

/** Whether a file is the one that an upload began with: `true`, or the sentence that says what differs. */
export function isSameFile(upload: FileLike, file: FileLike): true | string {
  if (file.file_name !== upload.file_name)
    return `This upload began with the file "${upload.file_name}", and this one is called "${file.file_name}". Choose the same file.`
  if (file.file_bytes !== upload.file_bytes)
    return `This file has another size than the file this upload began with. Choose the same file.`
  const differs = (key: 'file_mark' | 'file_modified_at') =>
    upload[key] !== null && file[key] !== null && upload[key] !== file[key]
  if (differs('file_mark') || differs('file_modified_at'))
    return 'The content of this file has changed since the upload began. Cancel the upload and start a new one.'
  return true
}

/** The size of the next piece, so that each takes some seconds whatever the line is like. */
export function nextPieceBytes(before: number, tookMs: number): number {
  const [least, most] = [256 * 1024, uploadLimits.pieceBytes]
  if (tookMs > 6_000) return Math.max(least, Math.floor(before / 2))
  return tookMs < 2_000 ? Math.min(most, before * 2) : before
}

/** The first piece of an upload: small enough for a slow line. */
export const firstPieceBytes = mebibyte

/** How long to wait before the next try after so many failures in a row, in milliseconds. */
export const uploadPauseMs = (failures: number): number =>
  Math.min(30_000, 1_000 * 2 ** Math.max(0, failures - 1))
