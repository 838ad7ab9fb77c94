/** What somebody can take along: all that is stored about them, and no secret. */
import { accountDeletionApi, activityApi, apiTokenApi, projectApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { type Desk, it } from '../desk.test-kit.ts'

interface Exported {
  profile: { name: string; email: string }
  sessions: { current: boolean }[]
  ssh_keys: unknown[]
  api_tokens: { name: string }[]
  projects: { name: string; role: string; vms?: { name: string }[]; disks?: { name: string }[] }[]
  projects_in_bin: { name: string; delete_at: string; vms: { name: string }[] }[]
  activity: { action: string }[]
}

const exported = async (person: Pick<Desk['ada'], 'raw'>) => {
  const answer = await person.raw('GET', '/api/user/export')
  return { ...answer, body: answer.body as Exported }
}

describe('the export of an account', () => {
  it('200 is one document with everything, and tells of itself in the activity', async ({ desk }) => {
    await desk.runningVm('web')
    await desk.readyDisk()
    await desk.ada.call(apiTokenApi.create, { body: { name: 'ci', access: 'read', project_ids: null } })
    const { status, body, headers } = await exported(desk.ada)
    expect(status).toBe(200)
    expect(headers['content-disposition']).toContain('slipway-account.json')
    expect(body).toMatchObject({
      profile: { name: 'Ada Lovelace', email: desk.ada.email },
      sessions: [{ current: true }],
      ssh_keys: [{}],
      api_tokens: [{ name: 'ci' }],
      projects: [{ name: 'p', role: 'owner', vms: [{ name: 'web' }], disks: [{ name: 'data' }] }],
    })
    expect(body.activity.map(({ action }) => action)).toContain('account.signUp')
    const { entries } = (await desk.ada.call(activityApi.ofAccount)).body
    expect(entries[0]).toMatchObject({ kind: 'access', action: 'account.export' })
  })

  it('has every entry of a long activity once', async ({ desk }) => {
    for (let i = 0; i < 210; i++) await desk.ada.call(projectApi.create, { body: { name: `p${i}` } })
    const actions = (await exported(desk.ada)).body.activity.map(({ action }) => action)
    expect(actions.filter((action) => action === 'project.create')).toHaveLength(211)
  })

  it('has what was deleted and can be restored', async ({ desk }) => {
    await desk.runningVm('web')
    const { projectId } = desk.params
    expect((await desk.ada.raw('DELETE', `/api/projects/${projectId}?with_vms=true`)).status).toBe(204)
    const { projects, projects_in_bin } = (await exported(desk.ada)).body
    expect(projects).toEqual([])
    expect(projects_in_bin).toMatchObject([{ id: projectId, name: 'p', vms: [{ name: 'web' }] }])
  })

  it('has no secret in it', async ({ desk }) => {
    const token = await desk.ada.call(apiTokenApi.create, {
      body: { name: 'ci', access: 'read', project_ids: null },
    })
    const text = JSON.stringify((await exported(desk.ada)).body)
    const { db } = desk.app
    const stored = await Promise.all([
      db.selectFrom('account').select('password_hash as secret').execute(),
      db.selectFrom('session').select('token_hash as secret').execute(),
      db.selectFrom('api_token').select('token_hash as secret').execute(),
    ])
    const hashes = stored.flat().map(({ secret }) => secret)
    for (const secret of [token.body.token, desk.ada.cookie?.split('=')[1], ...hashes])
      expect(text).not.toContain(secret ?? 'none')
  })

  it('has of projects of others no more than what the account is there', async ({ desk }) => {
    await desk.runningVm('web')
    const bob = await desk.member()
    const { projects } = (await exported(bob)).body
    expect(projects).toEqual([
      { id: desk.params.projectId, name: 'p', role: 'viewer', owner_name: 'Ada Lovelace' },
    ])
  })

  it('can be taken along by somebody whose account is being deleted', async ({ desk }) => {
    await desk.ada.call(accountDeletionApi.request)
    const { profile } = (await exported(await desk.app.again(desk.ada))).body
    expect(profile.email).toBe(desk.ada.email)
  })
})
