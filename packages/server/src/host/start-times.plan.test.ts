import { describe, expect, it } from 'vitest'
import { medianStart, type Told, tellingActions } from './start-times.plan.ts'

/** VMs that one after the other are created and ready after so many seconds. */
const created = (...seconds: number[]): Told[] =>
  seconds.flatMap((span, i) => [
    { action: 'vm.create', vmId: `vm-${i}`, at: i * 1e6 },
    { action: 'vm.running', vmId: `vm-${i}`, at: i * 1e6 + span * 1000 },
  ])

/** What one VM went through, a second after the other. */
const lifeOf = (...actions: string[]): Told[] =>
  actions.map((action, i) => ({ action, vmId: 'it', at: 1e9 + i * 1000 }))

describe('the median of the last starts', () => {
  it('is null while fewer than five were measured', () => {
    expect(medianStart([])).toBeNull()
    expect(medianStart(created(1, 1, 1, 1))).toBeNull()
    expect(medianStart(created(1, 1, 1, 1, 1))).toEqual({ median_seconds: 1, starts: 5 })
  })

  it('is the one in the middle, or between the two, with a digit below ten seconds', () => {
    expect(medianStart(created(9, 0.94, 0.5, 60, 0.2))).toEqual({ median_seconds: 0.9, starts: 5 })
    expect(medianStart(created(1, 2, 3, 4, 5, 6))).toEqual({ median_seconds: 3.5, starts: 6 })
    expect(medianStart(created(12.4, 12.4, 12.4, 1, 90))).toEqual({ median_seconds: 12, starts: 5 })
  })

  it('is of the last fifty', () => {
    const long = Array.from({ length: 100 }, () => 60)
    const short = Array.from({ length: 50 }, () => 2)
    expect(medianStart(created(...long, ...short))).toEqual({ median_seconds: 2, starts: 50 })
  })

  it('counts a start by hand, from the request', () => {
    const told = lifeOf('vm.create', 'vm.running', 'vm.stop', 'vm.stopped', 'vm.start', 'vm.running')
    expect(medianStart([...created(1, 1, 1, 1), ...told])?.starts).toBe(6)
  })

  it.each([
    ['one that nobody asked for', ['vm.running']],
    ['a reboot of the guest', ['vm.create', 'vm.failed', 'vm.running']],
    ['one that was stopped before it was ready', ['vm.create', 'vm.stop', 'vm.stopped', 'vm.running']],
    ['a restart, which first shuts down', ['vm.restart', 'vm.running']],
    ['a restart before it was ready', ['vm.create', 'vm.restart', 'vm.running']],
    ['one that resumes', ['vm.suspended', 'vm.start', 'vm.running']],
    ['one that is not ready yet', ['vm.create']],
  ])('does not count %s', (_, actions) => {
    expect(medianStart([...created(1, 1, 1, 1, 1), ...lifeOf(...actions)])?.starts).toBe(5)
  })

  it('counts the start of a VM whose saved memory was discarded', () => {
    const told = lifeOf('vm.suspended', 'vm.stop', 'vm.stopped', 'vm.start', 'vm.running')
    expect(medianStart([...created(1, 1, 1, 1), ...told])).toEqual({ median_seconds: 1, starts: 5 })
  })

  it('does not count one over which the clock was set back', () => {
    expect(medianStart([...created(1, 1, 1, 1, 1), ...created(-5)])?.starts).toBe(5)
  })

  it('reads of the log what begins a start, ends it, or makes something else of it', () => {
    expect([...tellingActions].sort()).toEqual([
      'vm.create',
      'vm.error',
      'vm.failed',
      'vm.restart',
      'vm.running',
      'vm.start',
      'vm.stop',
      'vm.stopped',
      'vm.suspended',
    ])
  })

  it('counts a start that took no time', () => {
    const told = [1, 2, 3, 4, 5].flatMap((at) =>
      ['vm.start', 'vm.running'].map((action) => ({ action, vmId: 'it', at })),
    )
    expect(medianStart(told)).toEqual({ median_seconds: 0, starts: 5 })
  })
})
