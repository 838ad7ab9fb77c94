/** Who may open a share. Nothing here is ever passed on to a guest: neither secrets, nor codes, nor what leads here. */
import type { IncomingMessage } from 'node:http'
import { safePath } from '../lib/safe-path.ts'
import { isVisit, type Page, pages } from './share.pages.ts'
import { isSame, type Pass, passCookie, passesIn } from './share.passes.ts'
import type { ShareRecord } from './share.state.ts'

export type Verdict =
  /** `url` is what the guest is asked for. */
  | { is: 'in'; sessionId: string | null; url: string }
  | { is: 'led'; to: string; cookie?: string }
  | { is: 'refused'; page: Page }

export interface DoorOptions {
  isSecure: boolean
  /** Whether the owner of a share is signed in by a session. */
  isMember: (share: ShareRecord, sessionId: string) => Promise<boolean>
  /** The session that a code leads from; null when it leads nowhere, or not any more. Takes the code. */
  takeCode: (share: ShareRecord, code: string) => Promise<string | null>
  /** Where the console hands a session over, for people who came by this request. */
  handOver: (share: ShareRecord, request: IncomingMessage, path: string) => string
}

const ownPath = '/.slipway/'

export function makeDoor({ isSecure, isMember, takeCode, handOver }: DoorOptions) {
  const led = (to: string, share: ShareRecord, pass: Pass): Verdict => ({
    is: 'led',
    to,
    cookie: passCookie(share, pass, isSecure),
  })
  const refused = (page: Page): Verdict => ({ is: 'refused', page })

  /** Addresses that are not the guest's: it never hears of them. */
  async function atOurPath(share: ShareRecord, url: URL): Promise<Verdict> {
    const rest = url.pathname.slice(ownPath.length)
    if (rest === 'open') {
      const sessionId = await takeCode(share, url.searchParams.get('code') ?? '')
      if (sessionId === null) return refused(pages.oldCode)
      return led(safePath(url.searchParams.get('path')), share, { sessionId })
    }
    const isLink = share.audience === 'link' && isSame(rest, share.secret)
    return isLink ? led('/', share, 'link') : refused(share.audience === 'link' ? pages.noLink : pages.gone)
  }

  async function byPass(
    share: ShareRecord,
    request: IncomingMessage,
  ): Promise<{ sessionId: string | null } | null> {
    if (share.audience === 'everybody') return { sessionId: null }
    for (const pass of passesIn(request.headers.cookie, share, isSecure)) {
      if (pass === 'link' && share.audience === 'link') return { sessionId: null }
      if (pass !== 'link' && share.audience === 'project' && (await isMember(share, pass.sessionId)))
        return pass
    }
    return null
  }

  return async function ask(share: ShareRecord, request: IncomingMessage): Promise<Verdict> {
    // Of the form that a request to a server has: anything else is for proxies.
    const asked = request.url ?? ''
    if (!asked.startsWith('/')) return refused(pages.gone)
    const url = new URL(`http://share${asked.startsWith('//') ? '/' : ''}${asked}`)
    if (isOurs(asked)) return atOurPath(share, url)
    const secret = share.audience === 'link' ? url.searchParams.get('slipway') : null
    if (secret !== null) {
      const clean = withoutSecret(asked)
      if (isSame(secret, share.secret))
        // A page keeps it as a cookie, so that it is not in the address bar; a program has it with each request.
        return isVisit(request) ? led(clean, share, 'link') : { is: 'in', sessionId: null, url: clean }
      if (await byPass(share, request)) return { is: 'led', to: clean }
      return refused(pages.noLink)
    }
    const pass = await byPass(share, request)
    if (pass) return { is: 'in', ...pass, url: asked }
    if (share.audience === 'link') return refused(pages.noLink)
    return isVisit(request) ? { is: 'led', to: handOver(share, request, asked) } : refused(pages.signIn)
  }
}

/** However it is written: a path that a guest takes for ours must not reach it either. */
function isOurs(asked: string): boolean {
  const path = asked.split('?', 1)[0] ?? ''
  try {
    return decodeURIComponent(path).startsWith(ownPath)
  } catch {
    return path.startsWith(ownPath)
  }
}

/** Keeps the rest of the query to the letter: guests may have signed it. */
function withoutSecret(asked: string): string {
  const [path = '/', query = ''] = asked.split(/\?(.*)/s, 2)
  const rest = query.split('&').filter((one) => !/^slipway(=|$)/.test(one))
  return safePath(rest.length > 0 ? `${path}?${rest.join('&')}` : path)
}
