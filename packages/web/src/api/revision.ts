/** A position in the server's count of changes. Revisions of different epochs (server starts) cannot be compared. */
export interface Revision {
  epoch: string
  number: number
}

/** Null for what is no revision. */
export function readRevision(text: string | null | undefined): Revision | null {
  const [, epoch, digits] = /^(\w+)-(\d{1,15})$/.exec(text ?? '') ?? []
  return epoch === undefined ? null : { epoch, number: Number(digits) }
}
