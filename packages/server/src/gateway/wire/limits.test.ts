import { expect, it } from 'vitest'
import { makeLimits } from './limits.ts'

const patient = () => {}

it('takes no more connections of one address after too many without a sign-in, and those of others', async () => {
  const limits = makeLimits({ failuresPerMinute: 3 })
  for (let i = 0; i < 3; i++) (await limits.admit('10.0.0.1', patient))?.over()
  expect(await limits.admit('10.0.0.1', patient)).toBeNull()
  expect(await limits.admit('10.0.0.2', patient)).not.toBeNull()
})

it('counts no connection that signed in', async () => {
  const limits = makeLimits({ failuresPerMinute: 3 })
  for (let i = 0; i < 10; i++) {
    const place = await limits.admit('10.0.0.1', patient)
    place?.signedIn()
    place?.over()
  }
  expect(await limits.admit('10.0.0.1', patient)).not.toBeNull()
})

it('takes the addresses of one IPv6 network for one', async () => {
  const limits = makeLimits({ failuresPerMinute: 1 })
  ;(await limits.admit('2001:db8:1:2::1', patient))?.over()
  expect(await limits.admit('2001:db8:1:2:ffff::9', patient)).toBeNull()
  expect(await limits.admit('2001:db8:1:3::1', patient)).not.toBeNull()
  ;(await limits.admit('2001:db8::1', patient))?.over()
  expect(await limits.admit('2001:db8::2', patient)).toBeNull()
  expect(await limits.admit('2001:db8:0:0:1:2:3:4', patient)).toBeNull()
  ;(await limits.admit('::ffff:10.0.0.1', patient))?.over()
  expect(await limits.admit('10.0.0.1', patient)).toBeNull()
})

it('has few places for those of one address who have not signed in', async () => {
  const limits = makeLimits({ waitingPerAddress: 2 })
  const first = await limits.admit('10.0.0.1', patient)
  await limits.admit('10.0.0.1', patient)
  expect(await limits.admit('10.0.0.1', patient)).toBeNull()
  expect(await limits.admit('10.0.0.2', patient)).not.toBeNull()
  first?.known(['ada'])
  expect(await limits.admit('10.0.0.1', patient)).not.toBeNull()
})

it('lets people in while others fill every place without signing in, and drops the oldest of those', async () => {
  const limits = makeLimits({ waiting: 12, waitingPerAddress: 3, failuresPerMinute: 1000 })
  const dropped: string[] = []
  for (let i = 0; i < 12; i++) await limits.admit(`10.0.0.${i % 4}`, () => dropped.push(`idle ${i}`))
  const people: string[] = []
  for (let i = 0; i < 6; i++) {
    const place = await limits.admit(`192.0.2.${i}`, () => dropped.push(`person ${i}`))
    if (place) people.push(`person ${i}`)
  }
  expect(people).toHaveLength(6)
  expect(dropped).toEqual(['idle 0', 'idle 1', 'idle 2', 'idle 3', 'idle 4', 'idle 5'])
})

it('counts a connection that was dropped no more, however it ends afterwards', async () => {
  const limits = makeLimits({ waiting: 1, connections: 2, failuresPerMinute: 1000 })
  const first = await limits.admit('10.0.0.1', () => first?.over())
  const second = await limits.admit('10.0.0.2', patient)
  expect(second?.known(['ada'])).toBe('ada')
  first?.over()
  expect(await limits.admit('10.0.0.3', patient)).not.toBeNull()
  expect(await limits.admit('10.0.0.4', patient)).toBeNull()
})

it('gives one account and one address only so many connections', async () => {
  const limits = makeLimits({ connectionsPerAccount: 2, connectionsPerAddress: 3 })
  const first = await limits.admit('10.0.0.1', patient)
  const second = await limits.admit('10.0.0.1', patient)
  const third = await limits.admit('10.0.0.1', patient)
  expect(await limits.admit('10.0.0.1', patient)).toBeNull()
  expect(first?.known(['ada'])).toBe('ada')
  expect(second?.known(['ada'])).toBe('ada')
  expect(third?.known(['ada'])).toBeNull()
  // A key may be stored in several accounts, and none of them can keep it out of the others.
  expect(third?.known(['ada', 'bob'])).toBe('bob')
  first?.over()
  const fourth = await limits.admit('10.0.0.1', patient)
  expect(fourth?.known(['ada'])).toBe('ada')
})

it('gives one account only so many tunnels, at once and in a minute', async () => {
  const limits = makeLimits({ tunnelsPerAccount: 2, tunnelsPerMinute: 4 })
  const first = await limits.openTunnel('ada')
  await limits.openTunnel('ada')
  expect(await limits.openTunnel('ada')).toContain('2 tunnels open')
  expect(await limits.openTunnel('bob')).toBeTypeOf('function')
  if (typeof first === 'function') first()
  const third = await limits.openTunnel('ada')
  if (typeof third === 'function') third()
  const fourth = await limits.openTunnel('ada')
  if (typeof fourth === 'function') fourth()
  expect(await limits.openTunnel('ada')).toContain('4 tunnels within a minute')
})

it('ends who does not sign in in time, and nobody who has', async () => {
  const limits = makeLimits({ graceMs: 20, guestGraceMs: 40 })
  const ended: string[] = []
  await limits.admit('10.0.0.1', () => ended.push('slow'))
  ;(await limits.admit('10.0.0.1', () => ended.push('slow guest')))?.known(['ada'])
  ;(await limits.admit('10.0.0.1', () => ended.push('in')))?.signedIn()
  await expect.poll(() => ended).toEqual(['slow', 'slow guest'])
})
