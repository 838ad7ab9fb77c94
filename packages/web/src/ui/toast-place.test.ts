import { expect, test } from 'vitest'
import { clearOf } from './toast-place.ts'

const actions = { left: 900, top: 26, right: 1244, bottom: 58 }

test('messages come up below the actions they would cover, and stay where they are otherwise', () => {
  expect(clearOf({ left: 884, top: 16, right: 1264, bottom: 60 }, actions)).toBe('66px')
  expect(clearOf({ left: 884, top: 16, right: 1264, bottom: 60 }, { ...actions, top: 70, bottom: 102 })).toBe(
    '',
  )
  expect(
    clearOf({ left: 884, top: 16, right: 1264, bottom: 120 }, { ...actions, top: 70, bottom: 102 }),
  ).toBe('110px')
  expect(clearOf({ left: 1250, top: 16, right: 1630, bottom: 60 }, actions)).toBe('')
  expect(
    clearOf({ left: 884, top: 16, right: 1264, bottom: 60 }, { ...actions, top: -90, bottom: -58 }),
  ).toBe('')
})
