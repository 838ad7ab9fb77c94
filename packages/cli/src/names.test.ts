import { expect, it } from 'vitest'
import { labelsOf, listCallOf, listed, paramOfField, pick } from './names.ts'

it.each([
  ['projectId', 'project.list'],
  ['vmId', 'vm.list'],
  ['diskId', 'disk.list'],
  ['snapshotId', 'vmSnapshot.list'],
  ['diskSnapshotId', 'diskSnapshot.list'],
  ['poolId', 'vmPool.list'],
  ['setId', 'vmSet.list'],
  ['sshKeyId', 'sshKey.list'],
  ['templateId', 'template.list'],
  ['memberId', 'projectMember.list'],
  ['invitationId', 'projectMember.invitations'],
  ['operationId', 'operation.list'],
  ['accountId', 'adminAccount.list'],
  ['provider', null],
])('what a %s names is listed by %s', (param, list) => {
  expect(listCallOf(param)).toBe(list)
})

it('prefers the list beside the call itself', () => {
  expect(listCallOf('templateId', '/api/admin/templates/:templateId/retire')).toBe('template.listAll')
})

it('knows the parameter of a field', () => {
  expect(paramOfField('ssh_key_id')).toBe('sshKeyId')
  expect(paramOfField('name')).toBeNull()
})

const [one, two, mail] = [
  { id: '1', name: 'web' },
  { id: '2', name: 'web' },
  { id: 'm', email: 'ada@example.com', name: 'Ada' },
]

it('finds objects by id, name or email address', () => {
  expect(pick([one, mail], 'web', 'VM')).toBe('1')
  expect(pick([one, two], '2', 'VM')).toBe('2')
  expect(pick([one, mail], 'ada@example.com', 'member')).toBe('m')
  // An id counts for more than the name of another.
  expect(pick([{ id: '9', name: '1' }, one], '1', 'VM')).toBe('1')
})

it('says which ids an ambiguous name has, and that a name is nobody’s', () => {
  expect(() => pick([one, two], 'web', 'VM')).toThrow('The name "web" is not unique. Use an id:\n  1\n  2')
  expect(() => pick([one], 'db', 'VM')).toThrow('There is no VM with the name or id "db".')
})

it('finds the list in an answer, and the names in objects', () => {
  expect(listed([one])).toEqual([one])
  expect(listed({ accounts: [one], next: null })).toEqual([one])
  expect(listed(undefined)).toEqual([])
  expect(labelsOf({ id: 'k', key_name: 'laptop' })).toEqual(['laptop'])
})
