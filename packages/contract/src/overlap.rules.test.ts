import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  hasToWait,
  isRefusedByStatus,
  type LongChange,
  longChanges,
  mayBegin,
  overlapOf,
  overlapRefusals,
} from './overlap.rules.ts'
import { withTable } from './overlap.table.ts'
import { vmTexts } from './vm-form.rules.ts'

describe('the table of changes that overlap', () => {
  it('is printed in the documents as it is (else: npm run overlaps)', () => {
    const page = readFileSync(new URL('../../../docs/changes-that-overlap.md', import.meta.url), 'utf8')
    expect(page).toBe(withTable(page))
  })

  it('lets a VM be stopped, whatever is under way of it', () => {
    for (const underWay of Object.keys(longChanges) as LongChange[])
      if (!['binVm', 'deleteVm'].includes(underWay))
        expect(overlapOf(underWay, 'forceStop')).toEqual({ verdict: 'goes' })
  })

  it('refuses with the sentence of the first change that stands against the second', () => {
    expect(mayBegin('restore', ['growDisk', 'detach'])).toBe(vmTexts.disksChanging)
    expect(mayBegin('restore', ['growDisk'])).toBe(true)
    expect(mayBegin('stop', ['restore', 'detach', 'vmSnapshot'])).toBe(true)
  })

  it('knows what the status of the VM refuses anyway', () => {
    expect(isRefusedByStatus('suspend', 'start')).toBe(true)
    // Of the two that it shows one allows it.
    expect(isRefusedByStatus('restart', 'stop')).toBe(false)
  })

  it('has programs wait for what people are refused beside', () => {
    expect(hasToWait('replace', ['restore'])).toBe(true)
    expect(hasToWait('replace', ['growDisk'])).toBe(false)
  })

  it('tells documents what is refused, and not that what is deleted is not found', () => {
    expect(overlapRefusals('fork')).toEqual([vmTexts.disksChanging, vmTexts.beingRestored])
  })
})
