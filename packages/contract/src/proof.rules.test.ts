import { describe, expect, it } from 'vitest'
import { endpoints, isOnlyByPeople, isProven, needsProof, proofTexts } from './index.ts'

describe('a confirmation', () => {
  const at = '2026-05-01T10:00:00.000Z'
  const time = Date.parse(at)

  it.each([
    [time, true],
    [time + 600_000 - 1, true],
    [time + 600_000, false],
    [time + 10 * 600_000, false],
  ])('counts for ten minutes: at %i it is %s', (now, counts) => expect(isProven(at, now)).toBe(counts))

  it('does not count when there was none', () => expect(isProven(null, time)).toBe(false))
})

describe('calls that need one', () => {
  it('say so, are behind a session and change something', () => {
    const asking = endpoints.filter(({ id }) => needsProof(id))
    expect(asking.length).toBeGreaterThan(5)
    for (const { id, auth, method, errors } of asking) {
      expect(auth, id).toBe('session')
      expect(method, id).not.toBe('GET')
      expect(errors?.[403], id).toContain(proofTexts.needed)
    }
  })

  it('are the only ones that say so', () => {
    for (const { id, errors } of endpoints)
      if (errors?.[403]?.includes(proofTexts.needed)) expect(needsProof(id), id).toBe(true)
  })

  it.each([
    [{ url: 'https://example.com' }, true],
    [{ description: 'chat' }, false],
    [{}, false],
    [undefined, true],
    [null, true],
    ['url', true],
  ])('are the change of a webhook where it goes elsewhere: %j is %s', (body, needs) =>
    expect(needsProof('webhook.update', body)).toBe(needs),
  )

  it('are such by their body for webhooks alone', () => {
    expect(needsProof('webhook.create', { description: 'chat' })).toBe(true)
    expect(needsProof('vm.update', { url: 'https://example.com' })).toBe(false)
  })

  it('are for people alone, but those that programs make within their scope', () => {
    const programs = endpoints.filter(({ id }) => needsProof(id) && !isOnlyByPeople(id)).map(({ id }) => id)
    expect(programs).toEqual(['webhook.create', 'webhook.update', 'webhook.renewSecret'])
  })
})
