import { describe, expect, it } from 'vitest'
import { nextBackupAt, tooOldMs } from './due.ts'

const at = (text: string) => Date.parse(text)
const started = { startedAt: at('2026-11-27T12:00:00Z'), goodAt: null, failedAt: null }
const night = { atMinute: 150 }

describe('the next backup', () => {
  it('is never due without a schedule', () => {
    expect(nextBackupAt(null, started)).toBeNull()
  })

  it('of every so many hours is due at once when there is none, and that long after the last good one', () => {
    expect(nextBackupAt({ everyHours: 6 }, started)).toBe(started.startedAt)
    const goodAt = at('2026-11-27T11:00:00Z')
    expect(nextBackupAt({ everyHours: 6 }, { ...started, goodAt })).toBe(at('2026-11-27T17:00:00Z'))
  })

  it('of a time of day is due at the next one, and at once when it was missed', () => {
    expect(nextBackupAt(night, started)).toBe(at('2026-11-28T02:30:00Z'))
    const early = { ...started, startedAt: at('2026-11-27T01:00:00Z') }
    expect(nextBackupAt(night, early)).toBe(at('2026-11-27T02:30:00Z'))
    const goodAt = at('2026-11-20T02:30:00Z')
    expect(nextBackupAt(night, { ...started, goodAt })).toBe(at('2026-11-21T02:30:00Z'))
  })

  it('is tried again half an hour after a failure, and not before its time', () => {
    const failedAt = at('2026-11-27T13:00:00Z')
    expect(nextBackupAt({ everyHours: 1 }, { ...started, failedAt })).toBe(at('2026-11-27T13:30:00Z'))
    expect(nextBackupAt(night, { ...started, failedAt })).toBe(at('2026-11-28T02:30:00Z'))
  })

  it('is missing when two in a row are', () => {
    expect(tooOldMs({ everyHours: 6 })).toBe(13 * 3_600_000)
    expect(tooOldMs(night)).toBe(49 * 3_600_000)
  })
})
