import { accountApi } from '@slipway/contract'
import { expect, it } from 'vitest'
import { hashOf } from '../account/account.service.ts'
import { testApp } from '../app.test-kit.ts'

const day = 24 * 60 * 60_000
const app = await testApp({ publicUrl: 'https://slipway.test' })
const plain = await testApp()

const statusWith = async (cookie?: string) => (await app.client(cookie).call(accountApi.me)).status

/** A session as earlier versions made them: known by the former cookie, with a token of their alphabet. */
async function formerSession(rememberMe = false): Promise<string> {
  const answer = await app.signIn(await app.signedIn(), { remember_me: rememberMe })
  const token = `former-${Math.random().toString(36).slice(2)}`
  await app.db
    .updateTable('session')
    .set({ token_hash: hashOf(token) })
    .where('token_hash', '=', hashOf(answer.cookie?.split('=')[1] ?? ''))
    .execute()
  return token
}

it('over https the cookie of a session is bound to this host, and no other stands for it', async () => {
  const { cookie = '', email, password } = await app.signedIn()
  const [name, token] = cookie.split('=')
  expect(name).toBe('__Host-slipway_session')
  const answer = await app.signIn({ email, password })
  expect(String(answer.headers['set-cookie'])).toMatch(
    /^__Host-slipway_session=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax/,
  )
  expect(await statusWith(cookie)).toBe(200)
  // Stored by a page of a sibling domain, which has a session of its own.
  expect(await statusWith(`slipway_session=${token}`)).toBe(401)
  expect(await statusWith(`slipway_session=x; ${cookie}`)).toBe(200)
  expect(await statusWith(`${cookie}; ${cookie}`)).toBe(401)
})

it('over plain http, as on loopback, the cookie has its plain name', async () => {
  const { cookie } = await plain.signedIn()
  expect(cookie).toMatch(/^slipway_session=/)
  expect((await plain.client(cookie).call(accountApi.me)).status).toBe(200)
})

it('a session of an earlier version goes on, with the new cookie for the time it has left', async () => {
  const token = await formerSession(true)
  await app.clock.suspend(10 * day)
  const answer = await app.client(`slipway_session=${token}`).call(accountApi.me)
  expect(answer.status).toBe(200)
  const [renewed, cleared] = [answer.headers['set-cookie']].flat()
  expect(renewed).toContain(
    `__Host-slipway_session=${token}; Max-Age=${(20 * day) / 1000}; Path=/; HttpOnly; Secure`,
  )
  expect(cleared).toMatch(/^slipway_session=;/)
  expect(await statusWith(`__Host-slipway_session=${token}`)).toBe(200)
  // Requests that were under way at the same time.
  expect(await statusWith(`slipway_session=${token}`)).toBe(200)
  const end = await app.client(`slipway_session=${token}`).call(accountApi.signOut)
  expect(String(end.headers['set-cookie'])).not.toContain(token)
  expect(await statusWith(`__Host-slipway_session=${token}`)).toBe(401)
})

it('a session of an earlier version is known by the former cookie for 30 days, however much it is used', async () => {
  const token = await formerSession()
  for (let halfDays = 0; halfDays < 60; halfDays++) {
    expect(await statusWith(`slipway_session=${token}`)).toBe(200)
    await app.clock.suspend(day / 2 - 60_000)
  }
  expect(await statusWith(`slipway_session=${token}`)).toBe(200)
  await app.clock.suspend(day / 4)
  await app.clock.suspend(day / 4)
  expect(await statusWith(`slipway_session=${token}`)).toBe(401)
})
