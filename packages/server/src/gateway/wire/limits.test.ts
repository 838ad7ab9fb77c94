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
})

it('has few places for those who have not signed in, of which one address cannot take all', async () => {
  const limits = makeLimits({ waiting: 3, waitingPerAddress: 2, connections: 4 })
  const first = await limits.admit('10.0.0.1', patient)
  await limits.admit('10.0.0.1', patient)
  expect(await limits.admit('10.0.0.1', patient)).toBeNull()
  await limits.admit('10.0.0.2', patient)
  expect(await limits.admit('10.0.0.3', patient)).toBeNull()
  first?.signedIn()
  expect(await limits.admit('10.0.0.3', patient)).not.toBeNull()
  expect(await limits.admit('10.0.0.4', patient)).toBeNull()
  first?.over()
})

it('ends who does not sign in in time, and nobody who has', async () => {
  const limits = makeLimits({ graceMs: 20 })
  const ended: string[] = []
  await limits.admit('10.0.0.1', () => ended.push('slow'))
  ;(await limits.admit('10.0.0.1', () => ended.push('in')))?.signedIn()
  await expect.poll(() => ended).toEqual(['slow'])
})
