import { ImportError } from './import-error.ts'

/** Where a file is on the web, and the SHA-256 it must have (in hex) when the address says so. */
export interface ImageAddress {
  url: URL
  sha256: string | null
}

/**
 * Reads the address of an image. It may end in `#sha256=` and 64 hexadecimal digits, which pin what is fetched: a
 * fragment is never sent to a server, so every server takes such an address. Throws an ImportError.
 */
export function readImageAddress(text: string): ImageAddress {
  if (!URL.canParse(text)) throw new ImportError('Enter an http or https URL that points to a file.')
  const url = new URL(text)
  if (url.hash === '') return { url, sha256: null }
  const [, sha256] = /^#sha256=([0-9a-f]{64})$/i.exec(url.hash) ?? []
  if (sha256 === undefined) {
    throw new ImportError('After #, the URL may only contain a checksum: sha256= and 64 hexadecimal digits.')
  }
  url.hash = ''
  return { url, sha256: sha256.toLowerCase() }
}

/** The address as it may be kept and shown: without a user name, a password or a query, which can hold keys. */
export function withoutSecrets(text: string): string {
  const { url } = readImageAddress(text)
  return `${url.origin}${url.pathname}`
}

/** Throws an ImportError unless a file has the SHA-256 that its address asks for, if it does. */
export function requirePinned(sha256: string, address: ImageAddress): void {
  if (address.sha256 === null || address.sha256 === sha256) return
  throw new ImportError(`The file's SHA-256 is ${sha256}, not ${address.sha256} as given in the URL.`)
}
