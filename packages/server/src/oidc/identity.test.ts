/** Two tabs of one person: what another one did is seen between two questions of this one. */
import { openSignUp } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import type { NewSession } from '../account/account.service.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { makeMailSeal } from '../mail/sealed-mail.ts'
import type { IdentityRepo, KnownAccount } from './identity.repo.ts'
import { makeIdentityService } from './identity.service.ts'
import type { Person } from './oidc.provider.ts'

const issuer = 'https://office.test'
const grace: Person = {
  issuer,
  subject: 'grace',
  sid: null,
  name: 'Grace',
  email: 'grace@office.test',
  emailVerified: true,
  adminGroup: null,
}
const account: KnownAccount = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Grace',
  email: 'grace@office.test',
  isVerified: true,
  isDisabled: false,
  hasPassword: false,
}
const asker = { ip: '127.0.0.1', userAgent: undefined, signal: new AbortController().signal }
const session = { token: 'a token', row: {}, entry: {} } as NewSession

/** Identities over what each question finds: the account that an identity is linked to, one answer after the other. */
function over(found: (KnownAccount | null)[], linkedSubject: string | null) {
  const stored: Parameters<IdentityRepo['signIn']>[0][] = []
  const service = makeIdentityService({
    repo: {
      byIdentity: async () => found.shift() ?? null,
      byEmail: async () => ({ ...account, linkedSubject }),
      signIn: async (writes: (typeof stored)[number]) => {
        stored.push(writes)
        return 'done'
      },
      link: async () => false,
    } as unknown as IdentityRepo,
    providers: [],
    newSession: () => session,
    signUpRule: openSignUp,
    isInvited: async () => false,
    requireWayIn: async () => {},
    mails: { ...makeMailSeal('key', systemClock), kick() {} },
    installation: () => ({ productName: 'Slipway', url: 'http://localhost' }),
    clock: systemClock,
    log: silentLog,
  })
  return { service, stored }
}

describe('a sign-in beside another one of the same person', () => {
  const visit = { remember: false, begun: '2026-01-01T00:00:00.000Z' }

  it('gets into the account that the other one made meanwhile', async () => {
    const { service, stored } = over([null], 'grace')
    expect(await service.signIn(grace, visit, asker)).toBe(session)
    expect(stored.map(({ account, identity }) => [account, identity])).toEqual([[undefined, undefined]])
  })

  it('does not get into an account that is linked to somebody else', async () => {
    const { service, stored } = over([null], 'somebody else')
    expect(await service.signIn(grace, visit, asker)).toBe('other_identity')
    expect(stored).toEqual([])
  })
})

describe('linking beside another tab', () => {
  const somebodyElse = { ...account, id: '00000000-0000-4000-8000-000000000002' }

  it.each([
    ['is done when the other one linked the same identity', account, null],
    ['is refused when the identity became somebody else’s', somebodyElse, 'taken'],
    ['is refused when the other one linked another identity', null, 'linked_before'],
  ] as const)('%s', async (_, holder, outcome) => {
    const { service } = over([null, holder], null)
    const user = { ...account, email_verified: true, created_at: '2026-01-01T00:00:00.000Z' }
    expect(await service.link(grace, user, asker)).toBe(outcome)
  })
})
