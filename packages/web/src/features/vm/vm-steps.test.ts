import type { Vm, VmStep } from '@slipway/contract'
import { expect, test } from 'vitest'
import { currentStep, progressOf, stepsOf } from './vm-steps.ts'

const at = (second: number) => `2026-11-21T10:00:0${second}.000Z`
const step = (name: VmStep['name'], from: number, to: number | null): VmStep => ({
  name,
  started_at: at(from),
  ended_at: to === null ? null : at(to),
})
const shown = (status: Vm['status'], steps: VmStep[]) =>
  stepsOf({ status, steps }).map(({ label, state }) => `${state}: ${label}`)

test('a VM coming up shows what is done, what is under way and what is to come', () => {
  expect(shown('creating', [step('image', 0, 1), step('room', 1, 1), step('root_disk', 1, null)])).toEqual([
    'done: Boot image ready',
    'done: Memory available on the host',
    'now: Cloning root disk',
    'todo: Starting the guest',
    'todo: Waiting for SSH',
  ])
})

test('a member of a group also shows its data disks and its start slot, once they come', () => {
  const way = [step('image', 0, 1), step('disks', 1, 2), step('turn', 2, null)]
  expect(shown('creating', way).slice(0, 4)).toEqual([
    'done: Boot image ready',
    'done: Data disks created',
    'now: Waiting for a start slot',
    'todo: Waiting for memory on the host',
  ])
})

test('a VM that starts again shows only the steps of that way', () => {
  const again = ['now: Starting the guest', 'todo: Waiting for SSH']
  expect(shown('starting', [step('boot', 0, null)])).toEqual(again)
  expect(shown('starting', [])).toEqual(['todo: Starting the guest', 'todo: Waiting for SSH'])
})

test('a VM that was suspended resumes, and boots only when it cannot', () => {
  expect(shown('starting', [step('room', 0, 1), step('resume', 1, null)])).toEqual([
    'done: Memory available on the host',
    'now: Resuming from the saved memory',
    'todo: Waiting for SSH',
  ])
  expect(shown('running', [step('resume', 0, 1), step('ready', 1, 2)])).toEqual([
    'done: Resumed from the saved memory',
    'done: SSH responded',
  ])
  expect(shown('starting', [step('resume', 0, 1), step('boot', 1, null)])).toEqual([
    'done: Saved memory could not be used',
    'now: Starting the guest',
    'todo: Waiting for SSH',
  ])
})

test('a VM that started warm did not boot', () => {
  expect(shown('running', [step('root_disk', 0, 1), step('warm', 1, 2), step('ready', 2, 3)])).toEqual([
    'done: Root disk cloned',
    'done: Guest started warm, without a boot',
    'done: SSH responded',
  ])
})

test('a failed VM ends its list with the step that failed', () => {
  const cut = [step('image', 0, 1), step('room', 1, null)]
  const failed = ['done: Boot image ready', 'failed: Waiting for memory on the host']
  expect(shown('failed', cut)).toEqual(failed)
  expect(shown('failed', [step('image', 0, 1), step('room', 1, 2)])).toEqual(failed)
})

test('a guest that broke after it was up keeps its finished steps', () => {
  expect(shown('error', [step('boot', 0, 1), step('ready', 1, 2)])).toEqual([
    'done: Guest started',
    'done: SSH responded',
  ])
})

test('times of the steps are those the server saw', () => {
  expect(stepsOf({ status: 'running', steps: [step('boot', 0, 2), step('ready', 2, 6)] })).toMatchObject([
    { startedAt: at(0), endedAt: at(2) },
    { startedAt: at(2), endedAt: at(6) },
  ])
})

test('the current step is said in words, and the reason of the server goes first', () => {
  const vm = { status: 'provisioning', steps: [step('boot', 0, null)], status_message: null } as const
  const words = (change: object) => currentStep({ ...vm, ...change, steps: [...vm.steps] })
  expect(words({})).toBe('Starting the guest')
  expect(words({ status_message: 'Needs 2.0 GB of memory' })).toBe('Needs 2.0 GB of memory')
  expect(words({ status: 'stopping' })).toBe('Waiting for the guest to power down')
  expect(words({ status: 'running' })).toBeNull()
  expect(currentStep({ status: 'pending', steps: [], status_message: null })).toBe('Queued')
})

test('progress only grows from step to step and is unknown before the first', () => {
  const values = [
    [step('boot', 0, null)],
    [step('boot', 0, 1)],
    [step('boot', 0, 1), step('ready', 1, null)],
    [step('boot', 0, 1), step('ready', 1, 2)],
  ].map((steps) => progressOf({ status: 'starting', steps }))
  expect(values).toEqual([0.25, 0.5, 0.75, 1])
  expect(progressOf({ status: 'pending', steps: [] })).toBeUndefined()
  expect(progressOf({ status: 'stopping', steps: [step('boot', 0, 1)] })).toBeUndefined()
})
