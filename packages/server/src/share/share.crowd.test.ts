import { expect, test } from 'vitest'
import { crowdLimits, makeCrowd, type Place } from './share.crowd.ts'

const nobody = () => false
const limits = { openOfOne: 2, openInAll: 3, requests: 100 }

const enter = (crowd: ReturnType<typeof makeCrowd>, ...addresses: string[]) =>
  Promise.all(addresses.map((address) => crowd.enter(address)))
const shown = (places: Place[]) => places.map((place) => (typeof place === 'string' ? place : 'in'))
const leaveAll = (places: Place[]) => {
  for (const place of places) if (typeof place !== 'string') place.leave()
}

test('visitors of one address who come at once are as many as those who come in turn', async () => {
  const crowd = makeCrowd(nobody, limits)
  const places = await enter(crowd, '192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1')
  expect(shown(places)).toEqual(['in', 'in', 'crowded', 'crowded'])
  leaveAll(places)
  expect(shown(await enter(crowd, '192.0.2.1', '192.0.2.1'))).toEqual(['in', 'in'])
})

test('visitors of many addresses who come at once are no more than there are places', async () => {
  const crowd = makeCrowd(nobody, limits)
  const places = await enter(crowd, '192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4')
  expect(shown(places)).toEqual(['in', 'in', 'in', 'full'])
  leaveAll(places)
  expect(shown(await enter(crowd, '192.0.2.5'))).toEqual(['in'])
})

test('who comes too often is refused and takes no place', async () => {
  const crowd = makeCrowd(nobody, { ...limits, requests: 1 })
  const [first] = await enter(crowd, '192.0.2.1')
  expect(shown(await enter(crowd, '192.0.2.1', '192.0.2.1'))).toEqual(['crowded', 'crowded'])
  // All three places are left to others but the one that is taken.
  expect(shown(await enter(crowd, '192.0.2.2', '192.0.2.3', '192.0.2.4'))).toEqual(['in', 'in', 'full'])
  if (first) leaveAll([first, first])
})

test('an exempt address has no limit of its own', async () => {
  const crowd = makeCrowd((address) => address === '192.0.2.9', limits)
  expect(shown(await enter(crowd, ...Array<string>(4).fill('192.0.2.9')))).toEqual(['in', 'in', 'in', 'full'])
  expect(crowdLimits.openInAll).toBeGreaterThan(crowdLimits.openOfOne)
})
