import type { Upload } from '@slipway/contract'
import type { UploadRun } from '../../api/upload-run.ts'

const units = [
  [1024 ** 3, 'GB'],
  [1024 ** 2, 'MB'],
  [1024, 'kB'],
] as const

/** `1.2 GB`, `512 MB`, `10 bytes`. */
export function bytesText(bytes: number): string {
  const [unit, name] = units.find(([size]) => bytes >= size) ?? [1, bytes === 1 ? 'byte' : 'bytes']
  const value = bytes / unit
  return `${unit === 1 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${name}`
}

/** `about 2 min`; seconds below a minute, hours and minutes above one hour. */
export function timeLeftText(bytes: number, speed: number): string {
  const seconds = Math.ceil(bytes / Math.max(1, speed))
  if (seconds < 60) return `about ${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `about ${minutes} min` : `about ${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** How far a file is: `1.2 of 2 GB`, with what is known of the rest. */
export function progressText({
  sent,
  bytes,
  speed,
  state,
}: Pick<UploadRun, 'sent' | 'bytes' | 'speed' | 'state'>): string {
  const percent = `${Math.floor((sent / bytes) * 100)}%`
  const amount = `${bytesText(sent)} of ${bytesText(bytes)} (${percent})`
  if (state !== 'sending' || speed === null || sent >= bytes) return amount
  return `${amount}, ${bytesText(speed)} per second, ${timeLeftText(bytes - sent, speed)} left`
}

/**
 * What an upload is doing, in a sentence. What this tab is doing it knows by itself, also when the upload could not be loaded;
 * `problem` says why it could not.
 */
export function stateText(
  run: UploadRun | null,
  upload: Pick<Upload, 'file_name' | 'received_bytes'> | undefined,
  problem: string | null,
): string {
  switch (run?.state) {
    case 'sending':
      return 'Uploading. Keep this tab open; you can use the rest of the console meanwhile.'
    case 'waiting':
      return `${run.message ?? ''} The upload tries again by itself.`.trim()
    case 'paused':
      return 'The upload is paused.'
    case 'sent':
      return 'All bytes have arrived.'
    case 'failed':
      return run.message ?? 'The upload has failed.'
    default:
      return upload
        ? `This tab is not uploading. Choose the file "${upload.file_name}" again to continue${upload.received_bytes > 0 ? ' where the upload stopped' : ''}.`
        : (problem ?? 'Loading upload...')
  }
}
