import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'

export interface TerminalSize {
  cols: number
  rows: number
}

/** The guest that is told; its run, since another one begins with another size. */
interface Told {
  run: { run: string }
  agent: { setTerminal: (device: string, size: TerminalSize) => Promise<boolean> }
}

/** A window that is being dragged changes its size many times. */
const SETTLE_MS = 300
/** Each telling costs the guest a process: no more than one in this time, whoever asks. */
const PAUSE_MS = 2000
/** The agent may not be up yet, or not there at all. */
const RETRY_MS = 10_000

interface Terminal {
  viewers: number
  wanted: TerminalSize | null
  /** Run and size that were told. */
  told: string | null
  notBefore: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Tells the terminals of guests how large they are; the serial line itself cannot. The last size counts, one that
 * was told is not told again, and a machine is told at most every two seconds.
 */
export function makeTerminalSizes(deps: { guest: (machineId: string) => Told | undefined; log: Log }) {
  const terminals = new Map<string, Terminal>()

  function arrange(machineId: string, terminal: Terminal): void {
    if (terminal.timer || !terminal.wanted) return
    const delay = Math.max(SETTLE_MS, terminal.notBefore - performance.now())
    terminal.timer = setTimeout(() => {
      terminal.timer = undefined
      inBackground(deps.log, 'telling a guest the size of its terminal', tell(machineId, terminal))
    }, delay)
    terminal.timer.unref()
  }

  async function tell(machineId: string, terminal: Terminal): Promise<void> {
    const { wanted } = terminal
    const guest = deps.guest(machineId)
    if (!guest || !wanted || terminal.viewers === 0) return
    const key = keyOf(guest, wanted)
    if (terminal.told === key) return
    terminal.notBefore = performance.now() + PAUSE_MS
    if (await guest.agent.setTerminal('/dev/ttyS0', wanted)) terminal.told = key
    else terminal.notBefore = performance.now() + RETRY_MS
    if (terminal.wanted !== wanted) arrange(machineId, terminal)
  }

  return {
    /** Somebody looks at a machine's terminal. */
    open(machineId: string) {
      const terminal = terminals.get(machineId) ?? {
        viewers: 0,
        wanted: null,
        told: null,
        notBefore: 0,
        timer: undefined,
      }
      terminals.set(machineId, terminal)
      terminal.viewers += 1
      let closed = false
      return {
        resize(wanted: TerminalSize): void {
          if (closed) return
          terminal.wanted = wanted
          arrange(machineId, terminal)
        },
        /** Tries again what could not be told, now that somebody types. */
        insist(): void {
          const guest = deps.guest(machineId)
          if (closed || !guest || !terminal.wanted) return
          if (terminal.told !== keyOf(guest, terminal.wanted)) arrange(machineId, terminal)
        },
        close(): void {
          if (closed) return
          closed = true
          terminal.viewers -= 1
          if (terminal.viewers > 0) return
          clearTimeout(terminal.timer)
          if (terminals.get(machineId) === terminal) terminals.delete(machineId)
        },
      }
    },
  }
}

const keyOf = ({ run }: Told, { cols, rows }: TerminalSize): string => `${run.run} ${cols}x${rows}`
