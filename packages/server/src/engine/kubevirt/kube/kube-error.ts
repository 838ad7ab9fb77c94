/**
 * What can go wrong with a call:
 * `away` nobody answered in time, or who did cannot reach the cluster; `refused` a webhook or a request that makes no
 * sense; `not-found`, `conflict` (somebody else wrote meanwhile, or a change is under way), `exists`, `invalid`;
 * `copied` a machine that is not to change until a snapshot or restore of it is done;
 * `forbidden` we may not; `quota` there is no room left; `gone` the version asked for is too old; `too-many` not now;
 * `broken` the server failed, or what it said cannot be understood.
 */
export type KubeErrorKind =
  | 'away'
  | 'refused'
  | 'not-found'
  | 'conflict'
  | 'copied'
  | 'exists'
  | 'invalid'
  | 'forbidden'
  | 'quota'
  | 'gone'
  | 'too-many'
  | 'broken'

/** A call that did not do what it was for. `message` is the server's where it said something. */
export class KubeError extends Error {
  readonly kind: KubeErrorKind
  /** Of HTTP; 0 where nobody answered. */
  readonly status: number
  /** The word of the API server, such as `AlreadyExists`; empty where it gave none. */
  readonly reason: string

  constructor(
    kind: KubeErrorKind,
    message: string,
    { status = 0, reason = '', cause }: { status?: number; reason?: string; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'KubeError'
    this.kind = kind
    this.status = status
    this.reason = reason
  }
}

/** Whether it is a {@link KubeError} of one of these kinds. */
export const isKube = (error: unknown, ...kinds: KubeErrorKind[]): error is KubeError =>
  error instanceof KubeError && kinds.includes(error.kind)

/** A message of nobody's writing, such as the page of a proxy, is not shown whole. */
const longestMessage = 2_000

/** The failure that an answer tells of, whose body is a Status of Kubernetes or a plain text. */
export function errorOfAnswer(status: number, body: string): KubeError {
  const said = statusOf(body)
  const message = (said?.message || body.trim() || `The API server answered ${status}`).slice(
    0,
    longestMessage,
  )
  const reason = said?.reason ?? ''
  return new KubeError(kindOf(status, reason, message), message, { status, reason })
}

/** The failure that an ERROR event of a watch tells of. */
export function errorOfEvent(object: unknown): KubeError {
  const code = isObject(object) && typeof object.code === 'number' ? object.code : 500
  return errorOfAnswer(code, JSON.stringify(object) ?? '')
}

function kindOf(status: number, reason: string, message: string): KubeErrorKind {
  // KubeVirt says 500 where a change of the machine has not been taken up yet.
  if (status >= 500 && /already underway/.test(message)) return 'conflict'
  if (status === 410 || reason === 'Expired' || reason === 'Gone') return 'gone'
  if (status === 403 && /exceeded quota/.test(message)) return 'quota'
  if (/ until (snapshot|restore) ".*" completes/.test(message)) return 'copied'
  if (/^admission webhook .* denied the request/.test(message)) return 'refused'
  if (status === 401 || status === 403) return 'forbidden'
  if (status === 404) return 'not-found'
  if (status === 409) return reason === 'AlreadyExists' ? 'exists' : 'conflict'
  if (status === 422) return 'invalid'
  if (status === 429) return 'too-many'
  if (status === 502 || status === 503 || status === 504) return 'away'
  return status >= 500 ? 'broken' : 'refused'
}

function statusOf(body: string): { message: string; reason: string } | null {
  try {
    const value: unknown = JSON.parse(body)
    if (!isObject(value) || value.kind !== 'Status') return null
    return { message: String(value.message ?? ''), reason: String(value.reason ?? '') }
  } catch {
    return null
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
