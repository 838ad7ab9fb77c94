import { isIP, type LookupFunction } from 'node:net'
import { askSystem, hostOf, makeHostPolicy, type Resolve } from '../lib/public-hosts.ts'
import { makeResolve } from '../lib/resolve-host.ts'
import { ImportError } from './import-error.ts'

/** Which hosts images are fetched from: those of the public Internet, and those the operator lists. */
export interface SourcePolicy {
  /** Whether the operator lists this host, by its name or, if it is one, its address. */
  isListed(hostname: string): boolean
  /** Throws an ImportError for an address that must not be fetched; `from` is what redirected there. */
  check(url: URL, from?: URL): void
  /** For `node:net`: resolves a name to those of its addresses that may be connected to. */
  lookup: LookupFunction
}

/**
 * Throws a RangeError when an entry of `privateSources` is no host, address or range.
 *
 * @param resolve asks for names on the Internet, whose name servers may belong to anybody
 */
export function makeSourcePolicy(
  privateSources: readonly string[],
  resolve: Resolve = makeResolve(),
): SourcePolicy {
  const { isListed, mayConnect, lookup } = makeHostPolicy(privateSources)
  return {
    isListed,
    // What a name without a dot means is up to this machine and its own network.
    lookup: lookup(
      () => new ImportError(PRIVATE),
      (hostname) => (hostname.includes('.') ? resolve(hostname) : askSystem(hostname)),
    ),
    check(url, from) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:') {
        throw new ImportError('Only http and https URLs are supported.')
      }
      if (url.protocol === 'http:' && from?.protocol === 'https:') {
        throw new ImportError('Redirect from https to http refused.')
      }
      if (url.username !== '' || url.password !== '') {
        throw new ImportError('The URL must not contain a user name or a password.')
      }
      // A host that is an address already is never looked up.
      const host = hostOf(url)
      if (isIP(host) !== 0 && !mayConnect(host)) throw new ImportError(PRIVATE)
    },
  }
}

const PRIVATE = 'The URL points into a private network. Images cannot be downloaded from there.'
