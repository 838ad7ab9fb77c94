import { describe, expect, it } from 'vitest'
import { cancelConsequence, operationObjects, operationTitle, waitingText } from './operation.rules.ts'

describe('an operation', () => {
  it('is about one of four things', () => {
    expect(operationObjects).toEqual(['vm', 'disk', 'vm_snapshot', 'disk_snapshot'])
  })

  it('has a title, even where nobody knows it', () => {
    expect(operationTitle({ action: 'vmSnapshot.restore' })).toBe('Restore VM')
    expect(operationTitle({ action: 'vm.paint' })).toBe('Operation')
  })

  it('leaves the VM alone when a restore is cancelled, and nothing of what was being made', () => {
    const object = { name: 'web' }
    expect(cancelConsequence({ action: 'vmSnapshot.restore', object })).toBe('VM "web" stays unchanged.')
    expect(cancelConsequence({ action: 'disk.create', object })).toBe(
      'Everything downloaded or copied for "web" so far is deleted, and its status becomes failed.',
    )
  })

  it.each([
    ['fetch', 'download', 'downloads'],
    ['copy', 'copy', 'copies'],
    ['quick', 'operation', 'operations'],
    ['check', 'check', 'checks'],
    ['plug', 'operation', 'operations'],
  ] as const)('of the kind %s waits for another %s or other %s', (kind, one, more) => {
    const behind = (whose: 'owner' | 'everybody', running: number) => waitingText(kind, { whose, running })
    expect(behind('owner', 1)).toBe(`Waiting for 1 other ${one} of this account.`)
    expect(behind('owner', 2)).toBe(`Waiting for 2 other ${more} of this account.`)
    expect(behind('everybody', 1)).toBe(`Waiting for other ${more} on this server.`)
  })
})
