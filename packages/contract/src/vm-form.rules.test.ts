import { expect, it } from 'vitest'
import { copiesAtOnce, copyNames, longestUnusedMinutes, vmTexts } from './vm-form.rules.ts'

it('one copy of a VM is called by the name alone, several by numbers as well', () => {
  expect(copyNames('web', 1)).toEqual(['web'])
  expect(copyNames('web', 2)).toEqual(['web-1', 'web-2'])
})

it('the sentences say what is most', () => {
  expect(vmTexts.copyCount).toContain(` to ${copiesAtOnce}`)
  expect(vmTexts.suspendAfter).toContain(` to ${longestUnusedMinutes} `)
})
