import { type Vm, vmChangeTexts } from '@slipway/contract'
import { expect, test } from 'vitest'
import { changesIn, fieldsOf, nextSizeText } from './vm-edit.ts'

// Only what the form is about.
const vm = {
  name: 'web',
  cpu: 2,
  memory_mb: 1024,
  next_cpu: null,
  next_memory_mb: 2048,
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
  expect(changes({ tags: '', note: '' })).toEqual({ body: { tags: [], note: '' } })
  expect(changes({ persistent: false, delete_protection: true })).toEqual({
    body: { persistent: false, delete_protection: true },
  })
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
