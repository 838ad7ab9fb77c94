// @module-tag both-databases
import { Project, projectApi, vmApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { newPublicKey, testApp } from '../app.test-kit.ts'
import { EngineError } from '../engine/engine.ts'

const app = await testApp()
const ada = await app.signedIn()
const deleteForGood = (id: string) => ada.raw('DELETE', `/api/projects/${id}?for_good=true`)
async function projectWithDisk(): Promise<string> {
  const projectId = await ada.make('/api/projects', { name: 'with a disk' })
  await ada.make(`/api/projects/${projectId}/disks`, { name: 'd', size: '1Gi', source: 'EMPTY' })
  await app.clock.advance(5_000)
  return projectId
}

describe('projects', () => {
  it('201 makes one, with an empty description when none is given', async () => {
    const answer = await ada.call(projectApi.create, { body: { name: '  checkout ' } })
    expect(answer).toMatchObject({ status: 201, body: { name: 'checkout', description: '' } })
    expect(answer.body.created_at).toMatch(/Z$/)
  })

  it('200 lists them oldest first', async () => {
    await ada.call(projectApi.create, { body: { name: 'second', description: 'text' } })
    const { body } = await ada.call(projectApi.list)
    expect(body.map((project) => project.name)).toEqual(['checkout', 'second'])
    for (const project of body) {
      expect(Object.keys(project).sort()).toEqual(Object.keys(Project.shape).sort())
    }
  })

  it.each([[{ name: '  ' }], [{}], [{ name: null }]])('400 for %j', async (body) => {
    expect(await ada.call(projectApi.create, { body })).toMatchObject({
      status: 400,
      body: { message: 'Please enter a project name', fields: { name: 'Please enter a project name' } },
    })
  })

  it('400 for a name of two lines or of more than 100 characters', async () => {
    for (const name of ['a\nb', 'x'.repeat(101)])
      expect((await ada.call(projectApi.create, { body: { name } })).status).toBe(400)
  })

  it('204 deletes an empty one; 409 while it has a VM; 404 afterwards', async () => {
    const projectId = await ada.make('/api/projects', { name: 'doomed' })
    const params = { projectId }
    const key = { key_name: 'k', ssh_public_key: newPublicKey() }
    const ssh_key_id = await ada.make('/api/user/ssh-keys', key)
    const vm = { name: 'vm', template_id: 'starter', ssh_key_id }
    const vmId = await ada.make(`/api/projects/${projectId}/vms`, vm)
    expect(await ada.call(projectApi.delete, { params })).toMatchObject({
      status: 409,
      body: { message: 'Cannot delete (VMs exist)' },
    })
    expect((await ada.call(vmApi.delete, { params: { ...params, vmId } })).status).toBe(204)
    expect((await deleteForGood(projectId)).status).toBe(204)
    expect((await deleteForGood(projectId)).status).toBe(404)
    // The machine was being made while its project went: a scan finds what that left.
    await app.clock.advance(40_000)
    expect(await app.engine.list()).toEqual(new Map())
    expect(await app.engine.listProjects()).not.toContain(projectId)
    expect(await app.db.selectFrom('vm').selectAll().execute()).toEqual([])
  })

  it('leaves nothing of its own in the engine, and not before its disks are gone', async () => {
    const projectId = await projectWithDisk()
    expect(await app.engine.listProjects()).toContain(projectId)
    const [volume = ''] = await app.engine.listVolumes()
    const { deleteVolume } = app.engine
    app.engine.deleteVolume = () => Promise.reject(new EngineError('internal', 'Away.', { retryable: true }))
    expect((await deleteForGood(projectId)).status).toBe(204)
    await app.clock.advance(5_000)
    expect(await app.engine.listProjects()).toContain(projectId)
    expect(await app.engine.listVolumes()).toEqual([volume])
    app.engine.deleteVolume = deleteVolume
    await app.clock.advance(60_000)
    expect(await app.engine.listVolumes()).toEqual([])
    expect(await app.engine.listProjects()).not.toContain(projectId)
  })

  it('is found by a scan when the word of its deletion was lost', async () => {
    const projectId = await projectWithDisk()
    for (const id of await app.engine.listVolumes()) await app.engine.deleteVolume(id)
    await app.db.deleteFrom('disk').execute()
    await app.db.deleteFrom('project').where('id', '=', projectId).execute()
    await app.clock.advance(60_000)
    expect(await app.engine.listProjects()).not.toContain(projectId)
  })
})
