/** A refusal the caller can act on. Services throw it; `http/errors.ts` turns it into a response. */
export class Problem extends Error {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 414 | 415 | 421 | 422 | 426 | 429 | 503
  readonly fields: Record<string, string> | undefined
  /** A stable word for programs, where the status alone is not enough. */
  code: string | undefined
  /** Seconds after which it makes sense to try again; sent as `Retry-After`. */
  readonly retryAfterS: number | undefined

  constructor(
    status: Problem['status'],
    message: string,
    fields?: Record<string, string>,
    retryAfterS?: number,
  ) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.fields = fields
    this.retryAfterS = retryAfterS
  }
}

/**
 * Passes when a rule of the contract answers `true`; otherwise throws 409 with its sentence, and with the field of the request
 * body that it is about, if there is one.
 */
export function require409(verdict: true | string, field?: string): void {
  if (verdict !== true)
    throw new Problem(409, verdict, field === undefined ? undefined : { [field]: verdict })
}

/**
 * Passes when a rule about what the engine can do answers `true`; otherwise throws 422 with its sentence, and with the
 * field of the request body that asks for it, if there is one.
 */
export function require422(verdict: true | string, field?: string): void {
  if (verdict !== true)
    throw new Problem(422, verdict, field === undefined ? undefined : { [field]: verdict })
}

/** A refusal of one field of the request body. */
export const refuse = (field: string, message: string): Problem =>
  new Problem(400, message, { [field]: message })

/** A refusal that ends by itself: too much at once (429), or no place on the server now (503). */
export const refuseForNow = (status: 429 | 503, message: string, retryAfterS: number): Problem =>
  new Problem(status, message, undefined, Math.max(1, Math.ceil(retryAfterS)))
