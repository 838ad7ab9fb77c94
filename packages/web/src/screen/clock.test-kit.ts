/** The clock of a screen, moved by hand. */
import { onTestFinished, vi } from 'vitest'

const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const

/** Moves the clock on by a minute and stops it there until the test ends; what waits for a time waits for `passTime`. */
export async function stopClock(): Promise<void> {
  vi.useFakeTimers({ toFake: [...toFake] })
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(timeoutByTimer)
  onTestFinished(() => {
    timeout.mockRestore()
    vi.useRealTimers()
  })
  await vi.advanceTimersByTimeAsync(60_000)
}

/** Vitest lets a stopped clock go on with all it waits for, by as much; after this only `passTime` moves it. */
export function holdClock(): void {
  const pretence = vi.spyOn(vi, 'isFakeTimers').mockReturnValue(false)
  onTestFinished(() => void pretence.mockRestore())
}

/** Lets time pass after `stopClock`. */
export async function passTime(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
}

/** As `AbortSignal.timeout`, whose own clock nobody can stop. */
function timeoutByTimer(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DOMException('The time is over', 'TimeoutError')), ms)
  return controller.signal
}
