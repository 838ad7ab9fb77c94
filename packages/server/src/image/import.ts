import type { Log } from '../lib/log.ts'

/** Where an image comes from: a file on the web, or an image in a container registry. */
export type ImageSource = { from: 'url'; url: string } | { from: 'registry'; image: string }

export interface ImportWork {
  signal: AbortSignal
  /** 0 to 1, null while unknown. */
  onProgress: (fraction: number | null) => void
}

export interface Imported {
  /** Of what was fetched, in hex: the file's bytes, or the registry's manifest. */
  sha256: string
  virtualBytes: number
}

/** What may be fetched, and from where. */
export interface FetchPolicy {
  /** What may be transferred, and what it may unpack to. */
  maxImageBytes: number
  /** How large a disk an image may promise. */
  maxVirtualBytes: number
  /** Host names, addresses or CIDR ranges that may be fetched from although they are private. */
  privateSources: string[]
}

/** Refused or failed. `message` is one sentence for the user, which names neither files nor programs of the host. */
export class ImportError extends Error {
  readonly retryable: boolean
  readonly noSpace: boolean

  constructor(message: string, more: { retryable?: boolean; noSpace?: boolean; cause?: unknown } = {}) {
    super(message, { cause: more.cause })
    this.name = 'ImportError'
    this.retryable = more.retryable ?? false
    this.noSpace = more.noSpace ?? false
  }
}

export interface Importer {
  /**
   * Makes `target`, a qcow2 file that depends on no other and was checked. It appears complete or not at all.
   * Throws an {@link ImportError}, or the signal's reason when that was aborted.
   */
  import(source: ImageSource, target: string, work: ImportWork): Promise<Imported>
}

/** `clearScratch` removes what a killed process left; call it before the first import. */
export function makeImporter(_deps: {
  scratchDir: string
  policy: FetchPolicy
  log: Log
}): Importer & { clearScratch(): Promise<void> } {
  return {
    import: () => Promise.reject(new ImportError('Images cannot be imported yet.')),
    clearScratch: () => Promise.resolve(),
  }
}
