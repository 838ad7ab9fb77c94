/** Paths of the files a machine boots from; they are read-only and never change under their name. */
export interface BootImage {
  /** A qcow2 file to put overlays on. */
  disk: string
  /** The disk that `disk` stands on. */
  lower?: string
  /** For a fast start without a boot loader. */
  kernel?: string
  initrd?: string
  cmdline?: string
  /** Root disks made of it are at least this large. */
  rootBytes?: number
}

/** The image could not be made or read; `message` is a sentence for a person. */
export class ImageError extends Error {
  readonly noSpace: boolean
  constructor(message: string, options: { cause?: unknown; noSpace?: boolean } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ImageError'
    this.noSpace = options.noSpace ?? false
  }
}

export const STARTER_IMAGE = 'starter'

/** The files of an image. */
export const pathsOf = ({ disk, lower, kernel, initrd }: BootImage): string[] =>
  [disk, lower, kernel, initrd].filter((path) => path !== undefined)
