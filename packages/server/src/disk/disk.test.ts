import { Disk, projectApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { newPublicKey, testApp } from '../app.test-kit.ts'
import type { DiskTable } from '../db/schema.ts'
import { newId } from '../lib/id.ts'

const app = await testApp()
const ada = await app.signedIn()
const { body: project } = await ada.call(projectApi.create, { body: { name: 'p' } })
const { body: key } = await ada.raw('POST', '/api/user/ssh-keys', {
  key_name: 'laptop',
  ssh_public_key: newPublicKey(),
})
const { body: vm } = await ada.raw('POST', `/api/projects/${project.id}/vms`, {
  name: 'holder',
  template_id: 'starter',
  ssh_key_id: (key as { id: string }).id,
})
const vmId = (vm as { id: string }).id

// No call makes disks yet.
async function store(name: string, more: Partial<DiskTable>): Promise<void> {
  const row: DiskTable = {
    id: newId(),
    project_id: project.id,
    vm_id: null,
    name,
    description: '',
    status: 'available',
    status_message: null,
    size_bytes: 10 * 1024 ** 3,
    source: 'EMPTY',
    image_url: null,
    image_sha256: null,
    snapshot_id: null,
    snapshot_kind: null,
    plugged: 1,
    detaching: 0,
    created_at: '2026-11-20T12:00:00.000Z',
    ...more,
  }
  await app.db.insertInto('disk').values(row).execute()
}
await store('free', {})
await store('held', { status: 'attached', vm_id: vmId })
await store('copied', { source: 'HTTP', size_bytes: 10 * 1024 ** 3 + 1 })
await store('held copy', { source: 'SNAPSHOT', status: 'attached', vm_id: vmId })

const list = async (query = '') => (await ada.raw('GET', `/api/projects/${project.id}/disks${query}`)).body
const namesOf = async (query: string) => ((await list(query)) as Disk[]).map((disk) => disk.name)

describe('the disks of a project', () => {
  it('200 is a bare array, oldest first, with exactly the fields of the contract', async () => {
    const disks = (await list()) as Disk[]
    expect(disks.map((disk) => disk.name)).toEqual(['free', 'held', 'copied', 'held copy'])
    for (const disk of disks) expect(Object.keys(disk).sort()).toEqual(Object.keys(Disk.shape).sort())
    expect(disks).toMatchObject([
      { size: '10Gi', size_gb: 10, vm_id: null, vm_name: null },
      { vm_id: vmId, vm_name: 'holder' },
      { size: '11Gi', size_gb: 11 },
      {},
    ])
  })

  it.each([
    ['?status=available', ['free', 'copied']],
    ['?status=ATTACHED', ['held', 'held copy']],
    ['?status=melted', []],
    ['?source=blank', ['free', 'held']],
    ['?source=EMPTY', ['free', 'held']],
    ['?source=HTTP', ['copied']],
    ['?source=REGISTRY', ['copied']],
    ['?source=SNAPSHOT', ['held copy']],
    [`?vm_id=${vmId}`, ['held', 'held copy']],
    ['?vm_id=nobody', []],
    ['?status=available&source=image', ['copied']],
    [`?status=attached&vm_id=${vmId}`, ['held', 'held copy']],
    [`?status=attached&source=snapshot&vm_id=${vmId}`, ['held copy']],
    [`?status=available&vm_id=${vmId}`, []],
    ['?status=&source=&vm_id=', ['free', 'held', 'copied', 'held copy']],
  ])('can be filtered by %s', async (query, names) => {
    expect(await namesOf(query)).toEqual(names)
  })

  it('are none for a filter given twice, which is 400', async () => {
    expect(await ada.raw('GET', `/api/projects/${project.id}/disks?status=a&status=b`)).toMatchObject({
      status: 400,
    })
  })
})
