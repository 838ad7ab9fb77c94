import { describe, expect, it } from 'vitest'
import { accountDeletionTexts, mayWhileFrozen, mayWhileLeaving } from './account-deletion.rules.ts'
import { endpoints } from './index.ts'

describe('an account that is being deleted', () => {
  it('can be looked at, taken along and kept, and used for nothing else', () => {
    const may = endpoints.map(({ id }) => id).filter((id) => mayWhileLeaving(id) === true)
    expect(may.sort()).toEqual([
      'account.me',
      'accountDeletion.cancel',
      'accountDeletion.get',
      'accountExport.get',
    ])
    expect(mayWhileLeaving('project.list')).toBe(accountDeletionTexts.leaving)
  })

  it('leaves projects in which members look at everything and change nothing but leave', () => {
    for (const { id, method } of endpoints) {
      const may = method === 'GET' || id === 'projectMember.leave'
      expect(mayWhileFrozen({ id, method }), id).toBe(may || accountDeletionTexts.frozen)
    }
  })
})
