import { errorCode } from './command.ts'

/** Why a request to a server elsewhere failed, as a sentence, and whether the same may succeed later. */
export function httpFailure(error: unknown): { words: string; retryable: boolean } {
  const code = errorCode(error)
  if (code === 'ENOTFOUND') return { words: 'The host name could not be resolved.', retryable: false }
  if (code !== null && /^(CERT_|ERR_TLS_|.*CERT(IFICATE)?(_|$)|UNABLE_TO_)/.test(code)) {
    return { words: 'The TLS certificate of the server could not be verified.', retryable: false }
  }
  const words =
    code === 'ECONNREFUSED'
      ? 'The server refused the connection.'
      : code === 'ECONNRESET' || code === 'EPIPE' || code?.startsWith('HPE_')
        ? 'The connection was interrupted.'
        : 'The server could not be reached.'
  return { words, retryable: true }
}
