/** A refusal the caller can act on. Services throw it; `http/errors.ts` turns it into a response. */
export class Problem extends Error {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 426 | 429 | 503
  readonly fields: Record<string, string> | undefined

  constructor(status: Problem['status'], message: string, fields?: Record<string, string>) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.fields = fields
  }
}

/** Passes when a rule of the contract answers `true`; otherwise throws 409 with its sentence. */
export function require409(verdict: true | string): void {
  if (verdict !== true) throw new Problem(409, verdict)
}

/** A refusal of one field of the request body. */
export const refuse = (field: string, message: string): Problem =>
  new Problem(400, message, { [field]: message })
