import { ImageError } from '../../image/image-store.ts'
import type { ImportError } from '../../image/import-error.ts'
import { CommandError, errorCode } from '../../lib/command.ts'
import { DeadlineError } from '../../lib/deadline.ts'
import { EngineError } from '../engine.ts'
import { QmpClosed } from './qmp.ts'

/** Any failure as the port has it: a stable code and a sentence that names neither files nor programs of the host. */
export function asEngineError(error: unknown, what: string): EngineError {
  if (error instanceof EngineError) return error
  const options = { cause: error, retryable: true }
  const text = error instanceof CommandError ? error.stderr : error instanceof Error ? error.message : ''
  if (errorCode(error) === 'ENOSPC' || /no space left/i.test(text)) {
    return new EngineError('no-space', `${what}: the disk of the host is full.`, options)
  }
  if (error instanceof DeadlineError || error instanceof QmpClosed) {
    return new EngineError('internal', `${what}: the process of the guest did not respond.`, options)
  }
  if (error instanceof ImageError) {
    return new EngineError(error.noSpace ? 'no-space' : 'image-unavailable', error.message, options)
  }
  if (error instanceof CommandError && error.code === 'ENOENT') {
    return new EngineError('launch-failed', `${what}: QEMU is not completely installed on the host.`, options)
  }
  if (error instanceof CommandError && error.code === 'ETIMEDOUT') {
    return new EngineError('internal', `${what}: the host took too long.`, options)
  }
  return new EngineError('internal', `${what}: the host refused.`, options)
}

/** Why a foreign image was not taken. */
export function importFailure(error: ImportError): EngineError {
  const { retryable } = error
  const code = error.noSpace ? 'no-space' : 'source-refused'
  return new EngineError(code, error.message, { retryable, cause: error })
}

/** Why QEMU did not come up, from what it printed. */
export function launchFailure(error: unknown): EngineError {
  if (!(error instanceof CommandError) || !error.stderr) return asEngineError(error, NOT_LAUNCHED)
  const options = { cause: error, retryable: true }
  const text = error.stderr
  if (/no space left/i.test(text)) return asEngineError(error, NOT_LAUNCHED)
  if (/cannot allocate memory|cannot set up guest memory/i.test(text)) {
    return new EngineError('no-memory', `${NOT_LAUNCHED}: the host is out of memory.`, options)
  }
  if (/could not set up host forwarding/i.test(text)) {
    return new EngineError(
      'no-address',
      `${NOT_LAUNCHED}: its address is in use by another program.`,
      options,
    )
  }
  if (/failed to get .*lock/i.test(text)) {
    return new EngineError('launch-failed', `${NOT_LAUNCHED}: one of its disks is in use.`, options)
  }
  return new EngineError('launch-failed', `${NOT_LAUNCHED}: ${withoutHost(error.message)}`, options)
}

/** A line QEMU printed without its program name, the option it speaks of, and paths. */
export function withoutHost(line: string): string {
  return line
    .replace(/^[^\s:]*qemu[^\s:]*:\s*/i, '')
    .replace(/^-[\w-]+ .*?: (?=[A-Z][a-z])/, '')
    .replace(/\/[^\s'",:]+/g, '(a file)')
    .trim()
}

const NOT_LAUNCHED = 'The VM could not be started'
