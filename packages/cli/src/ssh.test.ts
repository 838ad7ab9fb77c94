import { expect, it } from 'vitest'
import { partsOfSsh, placeOf } from './ssh.ts'

it('tells the VM, options of ssh and the command apart', () => {
  expect(partsOfSsh(['web'])).toEqual({ vm: 'web', project: undefined, options: [], command: [] })
  expect(partsOfSsh(['--project', 'shop', 'web', '-i', 'key', '--', 'ls', '--project'])).toEqual({
    vm: 'web',
    project: 'shop',
    options: ['-i', 'key'],
    command: ['ls', '--project'],
  })
  expect(() => partsOfSsh(['--', 'ls'])).toThrow('Usage: slipway ssh VM')
  expect(() => partsOfSsh(['-v', 'web'])).toThrow('Usage: slipway ssh VM')
})

it('tells places in VMs from files', () => {
  expect(placeOf('web:/root/a b')).toEqual({ vm: 'web', path: '/root/a b' })
  expect(placeOf('web:')).toEqual({ vm: 'web', path: '' })
  expect(placeOf('./web:1')).toBeNull()
  expect(placeOf('/root/file')).toBeNull()
  expect(placeOf('file')).toBeNull()
})
