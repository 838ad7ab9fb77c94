import { tooSmall, type Vm, vmChangeTexts } from '@slipway/contract'
import { expect, test } from 'vitest'
import { changedText, changesIn, fieldsOf, nextSizeText } from './vm-edit.ts'

// Only what the form is about.
const vm = {
  name: 'web',
  status: 'running',
  ssh_key_id: 'k-1',
  ssh_key_due: null,
  cpu: 2,
  memory_mb: 1024,
  next_cpu: null,
  size_due: null,
  next_memory_mb: 2048,
  root_disk_gb: null,
  next_root_disk_gb: null,
  tags: ['db', 'prod'],
  note: 'one\ntwo',
  persistent: true,
  delete_protection: false,
} as unknown as Vm

const changes = (part: Partial<ReturnType<typeof fieldsOf>>) => changesIn(vm, { ...fieldsOf(vm), ...part })

test('the fields show the size that is to come, and nothing differs at first', () => {
  expect(fieldsOf(vm)).toMatchObject({ cpu: 2, memory_mb: 2048, tags: 'db, prod' })
  expect(changes({})).toBeNull()
  expect(changes({ name: ' web ', tags: 'Prod db,db', note: ' one\r\ntwo ' })).toBeNull()
})

test('only what differs is sent', () => {
  expect(changes({ name: 'shop' })).toEqual({ body: { name: 'shop' } })
  expect(changes({ memory_mb: 1024, cpu: 4 })).toEqual({ body: { cpu: 4, memory_mb: 1024 } })
  expect(changes({ ssh_key_id: 'k-2' })).toEqual({ body: { ssh_key_id: 'k-2' } })
  expect(changes({ tags: '', note: '' })).toEqual({ body: { tags: [], note: '' } })
  expect(changes({ persistent: false, delete_protection: true })).toEqual({
    body: { persistent: false, delete_protection: true },
  })
})

test('a root disk is only enlarged, and one of no size of its own shows none', () => {
  expect(fieldsOf(vm).rootDisk).toBe('')
  expect(changes({ rootDisk: ' 30 ' })).toEqual({ body: { root_disk_gb: 30 } })
  const large = { ...vm, root_disk_gb: 20, next_root_disk_gb: 30 }
  const resized = (rootDisk: string) => changesIn(large, { ...fieldsOf(large), rootDisk })
  expect(fieldsOf(large).rootDisk).toBe('30')
  expect([resized('30'), resized('')]).toEqual([null, null])
  expect(resized('20')).toEqual({ body: { root_disk_gb: 20 } })
  expect(resized('40GB')).toEqual({ body: { root_disk_gb: 40 } })
  expect(resized('19')).toEqual({ broken: tooSmall('20Gi') })
  expect(resized('x')).toEqual({ broken: vmChangeTexts.rootDisk })
})

test('the first broken rule is told', () => {
  expect(changes({ name: ' ' })).toEqual({ broken: 'Please enter a VM name' })
  expect(changes({ cpu: 0 })).toEqual({ broken: vmChangeTexts.cpu })
  expect(changes({ tags: '-x' })).toEqual({ broken: vmChangeTexts.tag })
})

test('the size of the next boot in words', () => {
  expect(nextSizeText(vm)).toBe('2.0 GB of memory')
  expect(nextSizeText({ ...vm, next_cpu: 4 })).toBe('4 cores and 2.0 GB of memory')
  expect(nextSizeText({ ...vm, next_memory_mb: null })).toBeNull()
})

test('what holds only later is said with the change', () => {
  const done = 'VM "web" was changed'
  expect(changedText({ ...vm, next_memory_mb: null })).toBe(done)
  expect(changedText({ ...vm, status: 'stopped' })).toBe(done)
  expect(changedText({ ...vm, ssh_key_due: 'soon' })).toBe(
    `${done}. It gets 2.0 GB of memory at its next start. Its guest is getting the SSH key.`,
  )
  expect(changedText({ ...vm, size_due: 'soon' })).toBe(`${done}. It gets 2.0 GB of memory soon.`)
  expect(changedText({ ...vm, status: 'stopped', next_root_disk_gb: 30 })).toBe(
    `${done}. Its root disk is being enlarged to 30Gi.`,
  )
  expect(changedText({ ...vm, status: 'stopped', ssh_key_due: 'next_start' })).toBe(
    `${done}. Its guest gets the SSH key at its next start.`,
  )
})
