export interface Toast {
  id: number
  kind: 'success' | 'error' | 'warning' | 'info'
  text: string
  /** A second line: the server's own reason. */
  detail: string | undefined
  action: ToastAction | undefined
  /** Pauses while the toast is hovered or focused, then continues. */
  clock: { pause: () => void; resume: () => void }
}

/** One thing to do about what happened; the toast goes with it. */
export interface ToastAction {
  label: string
  /** For assistive technology, where the label alone does not say what it is about. */
  name: string
  run: () => void
}

export interface ToastOptions {
  detail?: string | null | undefined
  /** Milliseconds; 0 or less means it stays. */
  duration?: number
  action?: ToastAction
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function set(next: readonly Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}

/** What is shown now, the newest first. */
export const toastList = {
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
  get: () => toasts,
}

export function addToast(
  kind: Toast['kind'],
  text: string,
  { detail, duration = 5000, action }: ToastOptions = {},
): void {
  const id = ++lastId
  const clock = newClock(duration, () => dismissToast(id))
  clock.resume()
  set([{ id, kind, text, detail: detail ?? undefined, action, clock }, ...toasts])
}

export function dismissToast(id: number): void {
  for (const toast of toasts) if (toast.id === id) toast.clock.pause()
  set(toasts.filter((toast) => toast.id !== id))
}

function newClock(durationMs: number, onEnd: () => void): Toast['clock'] {
  if (durationMs <= 0) return { pause: () => {}, resume: () => {} }
  let left = durationMs
  let running: { timer: ReturnType<typeof setTimeout>; since: number } | null = null
  return {
    pause() {
      if (!running) return
      clearTimeout(running.timer)
      left -= performance.now() - running.since
      running = null
    },
    resume() {
      running ??= { timer: setTimeout(onEnd, left), since: performance.now() }
    },
  }
}
