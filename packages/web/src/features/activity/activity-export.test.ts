import { expect, it } from 'vitest'
import { exportQuery } from './activity-export.ts'

const form = { from: '', until: '', format: 'csv' } as const

it('asks for everything without days', () => expect(exportQuery(form)).toEqual({ format: 'csv' }))

it('takes in both days', () =>
  expect(exportQuery({ ...form, from: '2026-02-27', until: '2026-02-28' })).toEqual({
    format: 'csv',
    since: new Date(2026, 1, 27).toISOString(),
    until: new Date(2026, 2, 1).toISOString(),
  }))

it('takes one day', () =>
  expect(exportQuery({ ...form, from: '2026-12-31', until: '2026-12-31' })).toEqual({
    format: 'csv',
    since: new Date(2026, 11, 31).toISOString(),
    until: new Date(2027, 0, 1).toISOString(),
  }))

it('says that the days are the wrong way round', () =>
  expect(exportQuery({ ...form, from: '2026-03-01', until: '2026-02-28' })).toBe(
    'The last day is before the first one',
  ))
