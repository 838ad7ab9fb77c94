// @module-tag both-databases
import { searchApi, searchLimit } from '@slipway/contract'
import { expect, it } from 'vitest'
import { newPublicKey, testApp } from '../app.test-kit.ts'

const app = await testApp()
const ada = await app.signedIn('Ada')
const bob = await app.signedIn('Bob')

const projectId = await ada.make('/api/projects', { name: 'Shop 50%_off' })
const sshKeyId = await ada.make('/api/user/ssh-keys', { key_name: 'k', ssh_public_key: newPublicKey() })
const at = `/api/projects/${projectId}`
const vm = { template_id: 'starter', ssh_key_id: sshKeyId }
const vmId = await ada.make(`${at}/vms`, { ...vm, name: 'Frontend' })
await ada.make(`${at}/vms`, { ...vm, name: 'old front' })
await ada.make(`${at}/vmpools`, { ...vm, name: 'front-pool', min_size: 1, desired_size: 1, max_size: 1 })
await ada.make(`${at}/vmsets`, { ...vm, name: 'front-set', replicas: 1 })
await ada.make(`${at}/disks`, { name: 'front-data', size: '1Gi', source: 'EMPTY' })
await app.clock.advance(30_000)

const find = async (q: string, person = ada) =>
  (await person.raw('GET', `/api/search?q=${encodeURIComponent(q)}`)).body as { kind: string; name: string }[]
const named = async (q: string, person = ada) =>
  (await find(q, person)).map(({ kind, name }) => `${kind} ${name}`)

it('finds every kind of object by a part of its name, those that begin with it first', async () => {
  expect(await named('FRONT')).toEqual([
    'disk front-data',
    'vm_pool front-pool',
    'vm front-pool-1',
    'vm_set front-set',
    'vm front-set-1',
    'vm Frontend',
    'vm old front',
  ])
  expect(await named('starter')).toEqual(['template Starter Linux'])
})

it('says where it is and how it is', async () => {
  const { body } = await ada.call(searchApi.find)
  expect(body).toEqual([])
  expect((await find('frontend'))[0]).toEqual({
    kind: 'vm',
    id: vmId,
    name: 'Frontend',
    status: 'running',
    project_id: projectId,
    project_name: 'Shop 50%_off',
  })
})

it('finds by id, and takes signs of patterns for what they are', async () => {
  expect(await named(vmId)).toEqual(['vm Frontend'])
  expect(await named('50%_')).toEqual(['project Shop 50%_off'])
  expect(await named('%')).toEqual(['project Shop 50%_off'])
  expect(await named('nobody\\')).toEqual([])
})

it('finds names whatever letter case, accents and script they are in', async () => {
  for (const name of ['École', 'ecole zwei', 'old école', 'مشروع', '🚀🚀'])
    await ada.make('/api/projects', { name })
  const ecoles = ['project École', 'project ecole zwei', 'project old école']
  for (const typed of ['ÉCOLE', 'ecole', 'e\u0301cole']) expect(await named(typed)).toEqual(ecoles)
  expect(await named('شرو')).toEqual(['project مشروع'])
  expect(await named('🚀')).toEqual(['project 🚀🚀'])
  expect(await named('École', bob)).toEqual([])
})

it("finds nothing of another user's, and nothing that is deleted", async () => {
  expect(await named('front', bob)).toEqual([])
  await ada.raw('DELETE', `${at}/vms/${vmId}`)
  expect(await named('frontend')).toEqual([])
})

it('is refused for a text that is too long', async () => {
  expect((await ada.raw('GET', `/api/search?q=${'x'.repeat(101)}`)).status).toBe(400)
})

it('answers with so many at most', async () => {
  for (let i = 0; i < searchLimit + 5; i++) await ada.make('/api/projects', { name: `many-${i}` })
  expect(await find('many')).toHaveLength(searchLimit)
  for (let i = 0; i < searchLimit + 5; i++) await ada.make('/api/projects', { name: `Dépôt ${i}` })
  expect(await find('depot')).toHaveLength(searchLimit)
})

it('finds one name among thousands that no database can fold', async () => {
  const account_id = ada.id
  const created_at = '2026-01-01T00:00:00.000Z'
  const rows = Array.from({ length: 1203 }, (_, i) => ({
    id: `many-${i}`,
    account_id,
    name: `Übung ${i}`,
    description: '',
    created_at,
    internet: 1 as const,
  }))
  const owner = { account_id, role: 'owner' as const, since: created_at }
  for (let at = 0; at < rows.length; at += 100) {
    const some = rows.slice(at, at + 100)
    await app.db.insertInto('project').values(some).execute()
    const owners = some.map(({ id }) => ({ ...owner, project_id: id }))
    await app.db.insertInto('project_member').values(owners).execute()
  }
  for (const i of [0, 499, 500, 501, 999, 1202])
    expect((await named(`ubung ${i}`))[0]).toBe(`project Übung ${i}`)
  expect(await find('UBUNG')).toHaveLength(searchLimit)
})
