import { describe, expect, it } from 'vitest'
import {
  copiesAllowed,
  deleteProtected,
  hostnameOf,
  isComing,
  isMember,
  notRunning,
  vmCan,
  vmStatuses,
  vmStepNames,
} from './vm.rules.ts'

describe('a VM', () => {
  it('comes up step by step', () => {
    expect(vmStepNames.join(' ')).toBe('image disks copy turn room root_disk resume warm boot ready')
    const up = vmStatuses.filter((status) => isComing({ status: status.toUpperCase() }))
    expect(up).toEqual(['pending', 'creating', 'provisioning', 'starting'])
  })

  it.each([
    ['start', 'started'],
    ['stop', 'stopped'],
    ['forceStop', 'stopped'],
    ['suspend', 'suspended'],
    ['restart', 'restarted'],
    ['fork', 'forked'],
    ['restore', 'restored'],
  ] as const)('that refuses to %s says that it cannot be %s meanwhile', (action, verb) => {
    expect(vmCan[action]({ status: 'Pending' })).toBe(`VM cannot be ${verb} while it is pending`)
  })

  it('can be copied while it runs or is stopped, where the engine can', () => {
    const words = vmStatuses.filter((status) => vmCan.fork({ status: status.toUpperCase() }) === true)
    expect(words).toEqual(['running', 'stopped'])
    expect([copiesAllowed({ copies: null }), copiesAllowed({ copies: 'No.' })]).toEqual([true, 'No.'])
  })

  it('has a console and is kept awake while it runs; a suspended one says what it is', () => {
    expect(vmCan.console({ status: 'Suspended' })).toBe('VM is suspended')
    expect(vmCan.console({ status: 'stopped' })).toBe(notRunning)
    const awake = vmStatuses.map((status) => vmCan.keepAwake({ status: status.toUpperCase() }))
    expect(awake).toEqual(vmStatuses.map((status) => status === 'running' || notRunning))
  })

  const failed = 'A failed VM has no address.'
  const notYet = 'The VM has no address yet. It is assigned one when it runs.'
  it.each([
    ['Running', '127.100.0.2', true],
    ['running', null, notYet],
    ['stopped', '127.100.0.2', notYet],
    ['Suspended', null, true],
    ['Failed', '127.100.0.2', failed],
  ])('that is %s at the address %j is reached by SSH: %j', (status, ip_address, verdict) => {
    expect(vmCan.ssh({ status, ip_address })).toBe(verdict)
  })

  it('is deleted only without protection', () => {
    expect(vmCan.remove({ delete_protection: false })).toBe(true)
    expect(vmCan.remove({ delete_protection: true })).toBe(deleteProtected)
  })

  it('has a host name of at most 63 characters, which ends in no hyphen', () => {
    expect(hostnameOf('a'.repeat(64))).toBe('a'.repeat(63))
    expect(hostnameOf(`${'a'.repeat(62)} b`)).toBe('a'.repeat(62))
  })

  it('is a member of a pool or of a set', () => {
    expect(isMember({ vmpool_id: null, vmset_id: null })).toBe(false)
    expect(isMember({ vmpool_id: 'p', vmset_id: null })).toBe(true)
    expect(isMember({ vmpool_id: null, vmset_id: 's' })).toBe(true)
  })
})
