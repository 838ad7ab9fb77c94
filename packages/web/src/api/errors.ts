import { ApiError } from './client.ts'

export interface TextByStatus {
  [status: number]: string
  '5xx'?: string
  /** Any other response. */
  other?: string
}

/** The text for a failed call: the server's message, else the text for the status, else the fallback. */
export function errorText(error: unknown, fallback: string, byStatus: TextByStatus = {}): string {
  if (!(error instanceof ApiError)) return fallback
  if (error.message) return error.message
  if (error.status === null) return fallback
  return (
    byStatus[error.status] ??
    (error.status >= 500 ? byStatus['5xx'] : undefined) ??
    byStatus.other ??
    fallback
  )
}

/** A fixed text followed by the server's message. */
export const fullErrorText = (fixed: string, error: unknown): string =>
  [fixed, errorDetail(error)].filter(Boolean).join(' ')

/** The server's message, for the second line of a toast whose first line is fixed (catalogue G-039). */
export function errorDetail(error: unknown): string | undefined {
  return error instanceof ApiError && error.message ? error.message : undefined
}
