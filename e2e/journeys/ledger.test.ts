import { expect, it } from 'vitest'
import { makeLedger } from './ledger.ts'

const answered = async () => undefined
const unanswered = async () => null

it('misses an object whose creation was acknowledged, until its deletion is requested', async () => {
  const ledger = makeLedger()
  ledger.created('a')
  expect(ledger.brokenBy([])).toEqual(['a was created and is lost'])
  expect(ledger.brokenBy(['a', 'b'])).toEqual([])
  await ledger.deletes('a', unanswered)
  // The server died under the call: both are right.
  expect(ledger.brokenBy([])).toEqual([])
  expect(ledger.brokenBy(['a'])).toEqual([])
})

it('finds an object that is back after its deletion was acknowledged', async () => {
  const ledger = makeLedger()
  ledger.created('a')
  await ledger.deletes('a', answered)
  expect(ledger.brokenBy([])).toEqual([])
  expect(ledger.brokenBy(['a'])).toEqual(['a was deleted and is back'])
})
