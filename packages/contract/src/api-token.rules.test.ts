import { describe, expect, it } from 'vitest'
import {
  apiTokenMay,
  apiTokenNeeds,
  apiTokenTexts,
  coveredBy,
  endpoints,
  isOfProject,
  isOnlyByPeople,
  leastRoles,
} from './index.ts'

const behindSession = endpoints.filter(({ auth }) => auth === 'session')
const endpointOf = (id: string) => {
  const found = endpoints.find((endpoint) => endpoint.id === id)
  if (!found) throw new Error(`no endpoint ${id}`)
  return found
}

describe('the access that a call needs', () => {
  it('is never less than to write for what changes something', () => {
    for (const endpoint of behindSession.filter(({ method }) => method !== 'GET')) {
      expect(apiTokenNeeds(endpoint), endpoint.id).not.toBe('read')
    }
  })

  it('is to read for what viewers of a project look at, and to write for the rest of it', () => {
    for (const endpoint of behindSession) {
      if (!isOfProject(endpoint.id)) continue
      const isView = endpoint.method === 'GET' && leastRoles[endpoint.id] === 'viewer'
      const least = isView ? 'read' : 'write'
      expect(apiTokenNeeds(endpoint), endpoint.id).toBe(isOnlyByPeople(endpoint.id) ? null : least)
    }
    for (const id of ['vm.console', 'vm.screen', 'vm.consoleLog']) {
      expect(apiTokenNeeds(endpointOf(id))).toBe('write')
    }
  })

  it('is none at all for the account, for administrators and where nobody is asked', () => {
    for (const endpoint of endpoints) {
      const isOpen = endpoint.auth !== 'session' || endpoint.path.startsWith('/api/admin/')
      const isAccount =
        /^(account|apiToken|proof|totp|passkey)\./.test(endpoint.id) && endpoint.id !== 'account.me'
      if (isOpen || isAccount) expect(apiTokenNeeds(endpoint), endpoint.id).toBe(null)
    }
  })
})

describe('what a token may', () => {
  const some = { access: 'write', project_ids: ['a'] } as const

  it('is no more for one to write in all projects than for one to read, where that is enough', () => {
    for (const endpoint of behindSession) {
      const may = (access: 'read' | 'write') => apiTokenMay({ access, project_ids: null }, endpoint, 'a')
      if (may('read') === true) expect(may('write')).toBe(true)
    }
  })

  it('is to read or to write, and neither is what tokens are not for', () => {
    const may = (access: 'read' | 'write', id: string) =>
      apiTokenMay({ access, project_ids: null }, endpointOf(id), 'a')
    expect([may('read', 'vm.list'), may('write', 'vm.list')]).toEqual([true, true])
    expect([may('read', 'vm.start'), may('write', 'vm.start')]).toEqual([apiTokenTexts.needsWrite, true])
    expect(may('write', 'apiToken.create')).toBe(apiTokenTexts.notForTokens)
  })

  it('stops at its projects', () => {
    for (const endpoint of behindSession.filter(({ path }) => path.includes(':projectId'))) {
      expect(apiTokenMay(some, endpoint, 'a')).toBe(
        isOnlyByPeople(endpoint.id) ? apiTokenTexts.notForTokens : true,
      )
      if (isOnlyByPeople(endpoint.id)) continue
      expect(apiTokenMay(some, endpoint, 'b')).toBe(apiTokenTexts.otherProject)
      expect(apiTokenMay({ ...some, project_ids: [] }, endpoint, 'a')).toBe(apiTokenTexts.otherProject)
    }
  })

  it('beside its projects is what lists can be cut down to, and what belongs to nobody', () => {
    const without = behindSession.filter(({ path }) => !path.includes(':projectId'))
    const may = without.filter((endpoint) => apiTokenMay(some, endpoint, undefined) === true)
    expect(may.map(({ id }) => id)).toEqual([
      'account.me',
      'project.list',
      'sshKey.list',
      'template.list',
      'template.prepare',
      'projectBin.list',
      'search.find',
    ])
  })
})

describe('a list', () => {
  const list = [{ of: 'a' }, { of: 'b' }, { of: null }]
  const covered = (scope: Parameters<typeof coveredBy>[0]) => coveredBy(scope, list, ({ of }) => of)

  it('is whole for a session and for a token for all projects', () => {
    expect(covered(null)).toEqual(list)
    expect(covered({ access: 'read', project_ids: null })).toEqual(list)
  })

  it('has the projects of the token, and what belongs to nobody', () => {
    expect(covered({ access: 'read', project_ids: ['b'] })).toEqual([{ of: 'b' }, { of: null }])
    expect(covered({ access: 'read', project_ids: [] })).toEqual([{ of: null }])
  })
})
