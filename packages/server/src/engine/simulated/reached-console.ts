import type { MachineConsole } from '../engine.ts'
import type { ReachedLine } from './reached-line.ts'
import type { ConsoleLook } from './wire.ts'

/** What the console of a machine shows that is not there. */
export const nothingPrinted: Required<ConsoleLook> = { extent: { first: 0, end: 0 }, notes: [] }

/** A console whose extent and notes are here, as they were told last, and whose bytes are at the other end. */
export function makeReachedConsole(
  line: ReachedLine,
  key: number,
  onClose: () => void,
): MachineConsole & { take: (look: ConsoleLook) => void } {
  const listeners = new Set<() => void>()
  let { extent, notes } = nothingPrinted
  return {
    take(look) {
      extent = look.extent
      notes = look.notes ?? notes
      for (const listener of [...listeners]) listener()
    },
    extent: () => extent,
    notes: () => notes,
    read: (from, max) => line.askConsole('readConsole', key, from, max),
    write: (bytes) => line.askConsole('writeConsole', key, bytes),
    // Nothing hangs on these two; a lost connection has closed it already.
    resize: (size) => void line.askConsole('resizeConsole', key, size).catch(() => {}),
    close() {
      listeners.clear()
      onClose()
      line.askConsole('closeConsole', key).catch(() => {})
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
