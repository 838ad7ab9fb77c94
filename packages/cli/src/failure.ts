import type { ApiError } from '@slipway/client'

/** What a command ends with; docs/cli.md has the same table. */
export const exitCodes = {
  done: 0,
  /** The server refused or could not be reached, or what was waited for failed. */
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  timedOut: 5,
} as const

export type Exit = Exclude<keyof typeof exitCodes, 'done'>

/** Ends a command with a sentence for a person. */
export class Failure extends Error {
  readonly exit: Exit

  constructor(exit: Exit, message: string) {
    super(message)
    this.exit = exit
  }
}

const exitOfStatus: Record<number, Exit> = { 401: 'notAllowed', 403: 'notAllowed', 404: 'notFound' }

/** What a refused call ends with: the sentence of the server, and for fields of the body which flag each is about. */
export function failureOf(error: ApiError, server: string): Failure {
  const { status, fields = {} } = error
  if (status === null) return new Failure('failed', `${server} could not be reached: ${causeOf(error)}.`)
  if (status >= 300 && status < 400)
    return new Failure(
      'failed',
      `${server} redirects to another URL. Sign in there: \`slipway login --server URL\`.`,
    )
  const sentence = error.message || `The server failed to answer (status ${status}). Try again later.`
  const lines = Object.entries(fields).map(([field, text]) =>
    text === sentence ? `  --${field}` : `  --${field}: ${text}`,
  )
  const hint = status === 401 ? ['Sign in with `slipway login`.'] : []
  return new Failure(exitOfStatus[status] ?? 'failed', [sentence, ...lines, ...hint].join('\n'))
}

function causeOf({ cause }: ApiError): string {
  const { name, code, message } = Object(cause) as { name?: string; code?: string; message?: string }
  return name === 'TimeoutError' || name === 'AbortError'
    ? 'no answer in time'
    : (code ?? message ?? 'no answer')
}
