import { randomInt } from 'node:crypto'
import { test } from '../measured.ts'
import { makeRandom, type Random } from '../random.ts'

/**
 * Random choices of the test that runs. Its seed is printed and stands in the report; `SLIPWAY_JOURNEY_SEED` repeats
 * the choices, though not what the host makes of them.
 */
export function seededRandom(): Random {
  const given = process.env.SLIPWAY_JOURNEY_SEED
  const seed = given === undefined ? randomInt(1_000_000) : Number(given)
  console.log(`SLIPWAY_JOURNEY_SEED=${seed} repeats the random choices of: ${test.info().title}`)
  test.info().annotations.push({ type: 'seed', description: `${seed}` })
  return makeRandom(seed)
}
