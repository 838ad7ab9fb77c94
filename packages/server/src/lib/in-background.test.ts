import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { inBackground } from './in-background.ts'

it('work in the background that fails is told with what it was, and rejects for nobody', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  const error = vi.fn()
  const full = new Error('full')
  inBackground({ error }, 'showing progress', Promise.reject(full))
  inBackground({ error }, 'what works', Promise.resolve())
  await setImmediate()
  expect(error.mock.calls).toEqual([[{ err: full }, 'In the background: showing progress failed']])
  expect(unhandled).not.toHaveBeenCalled()
})
