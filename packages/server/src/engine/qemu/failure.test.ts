import { describe, expect, test } from 'vitest'
import { CommandError } from '../../lib/command.ts'
import { asEngineError, launchFailure, withoutHost } from './failure.ts'

const said = (stderr: string) => new CommandError('qemu-system-x86_64', stderr, 'ended with status 1')

describe('why a guest was not launched', () => {
  test.each([
    [
      "qemu-system-x86_64: -netdev user: Could not set up host forwarding rule 'tcp:127.100.0.1:22-:22'",
      'no-address',
    ],
    ['qemu-system-x86_64: cannot set up guest memory: Cannot allocate memory', 'no-memory'],
    ['qemu-system-x86_64: could not write: No space left on device', 'no-space'],
    ['qemu-system-x86_64: Failed to get "write" lock', 'launch-failed'],
    ['qemu-system-x86_64: something new', 'launch-failed'],
  ])('%s', (line, code) => {
    expect(launchFailure(said(line))).toMatchObject({ code, retryable: true })
  })

  test('is told without files and programs of the host', () => {
    const error = launchFailure(
      said("qemu-system-x86_64: -blockdev x: Could not open '/data/machines/1/root.qcow2'"),
    )
    expect(error.message).not.toMatch(/\/data|qemu/)
    expect(error.message).toBe("The VM could not be started: Could not open '(a file)'")
    expect(withoutHost('qemu-system-x86_64: bad /etc/passwd, really')).toBe('bad (a file), really')
  })

  test('is a missing QEMU when there is none', () => {
    const missing = new CommandError('qemu-img', '', 'could not be run', { code: 'ENOENT' })
    expect(launchFailure(missing)).toMatchObject({
      code: 'launch-failed',
      message: expect.stringContaining('installed'),
    })
  })
})

test('a full disk is found through any chain of causes', () => {
  const full = Object.assign(new Error('write failed'), { code: 'ENOSPC' })
  expect(asEngineError(new Error('outer', { cause: full }), 'It was not made')).toMatchObject({
    code: 'no-space',
  })
})
