import { describe, expect, it } from 'vitest'
import { accessTexts, endpoints, isAtLeast, isOfProject, leastRoles, projectRoles, roleMay } from './index.ts'

describe('the table of roles', () => {
  it('has exactly the endpoints that name a project in their path', () => {
    const ofProjects = endpoints.filter(({ path }) => path.includes('/:projectId')).map(({ id }) => id)
    expect(Object.keys(leastRoles).sort()).toEqual(ofProjects.sort())
    for (const { id, path } of endpoints) expect(isOfProject(id)).toBe(path.includes('/:projectId'))
    for (const least of Object.values(leastRoles)) expect(projectRoles).toContain(least)
  })

  it('lets viewers change nothing but what they are themselves', () => {
    const own = new Set(['projectMember.leave', 'handOver.accept', 'handOver.decline'])
    for (const { id, method } of endpoints)
      if (isOfProject(id) && method !== 'GET' && !own.has(id)) expect(roleMay('viewer', id)).not.toBe(true)
  })

  it('lets each role do what the one below may', () => {
    for (const id of Object.keys(leastRoles).filter(isOfProject)) {
      const may = projectRoles.map((role) => roleMay(role, id) === true)
      expect(may).toEqual([...may].sort())
      expect(may.at(-1)).toBe(true)
    }
  })

  it('says who may', () => {
    expect(roleMay('viewer', 'vm.start')).toBe(accessTexts.operator)
    expect(roleMay('viewer', 'project.delete')).toBe(accessTexts.owner)
    expect(roleMay('operator', 'project.delete')).toBe(accessTexts.owner)
    expect(isAtLeast('operator', 'owner')).toBe(false)
  })
})
