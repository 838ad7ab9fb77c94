/** Refused or failed. `message` is one sentence for the user, which names neither files nor programs of the host. */
export class ImportError extends Error {
  /** Whether the same import may succeed later, with nothing changed by the user. */
  readonly retryable: boolean
  readonly noSpace: boolean

  constructor(message: string, more: { retryable?: boolean; noSpace?: boolean; cause?: unknown } = {}) {
    super(message, { cause: more.cause })
    this.name = 'ImportError'
    this.retryable = more.retryable ?? false
    this.noSpace = more.noSpace ?? false
  }
}

export const hostIsFull = (cause?: unknown) =>
  new ImportError('The disk of the host is full.', { retryable: true, noSpace: true, cause })

export const otherChecksum = (is: string, wanted: string) =>
  new ImportError(`The file's SHA-256 is ${is}, not ${wanted} as given.`)

export const unable = (cause?: unknown) =>
  new ImportError('This server cannot read images of this format.', { cause })

/** `100 GiB`, `1.5 MiB`; for sentences. */
export function inWords(bytes: number): string {
  const unit = bytes >= 2 ** 30 ? (['GiB', 2 ** 30] as const) : (['MiB', 2 ** 20] as const)
  return `${Math.round((bytes / unit[1]) * 100) / 100} ${unit[0]}`
}
