/** A call that did not succeed. */
export class ApiError extends Error {
  /** Null when there was no response: no network, or the call timed out. */
  readonly status: number | null
  /** Messages for fields of the request body. */
  readonly fields: Record<string, string> | undefined
  /** A word for what the status alone does not say. */
  readonly code: string | undefined

  /** The message is the server's own sentence; empty when it sent none. */
  constructor(status: number | null, message: string | null, fields?: Record<string, string>, code?: string) {
    super(message ?? '')
    this.name = 'ApiError'
    this.status = status
    this.fields = fields
    this.code = code
  }

  /** The first field of the request body that was refused. */
  get field(): string | undefined {
    return Object.keys(this.fields ?? {})[0]
  }
}
