import { type ConsoleSaying, consoleCloses, consoleTailBytes, viewersPerConsole } from '@slipway/contract'
import type { MachineConsole, MachineNote } from '../engine/engine.ts'

/** The line to one window that looks at a console. */
export interface ViewerLine {
  say: (saying: ConsoleSaying) => void
  /** Resolves when the bytes have left for the network; rejects when the line is gone. */
  send: (bytes: Buffer) => Promise<void>
  close: (code: number, reason: string) => void
}

export interface Viewer {
  /** Types into the guest; resolves when it took it. */
  type: (bytes: Buffer) => Promise<void>
  resize: (size: { cols: number; rows: number }) => void
  /** Whether no guest runs that could end: the last one has ended, and none has begun since. */
  awaitsGuest: () => boolean
  leave: () => void
  /** Sends only this one away: no guest comes. */
  end: () => void
}

interface Seat {
  name: string
  line: ViewerLine
  /** The next byte to send. */
  at: number
  /** How many notes were sent, or need not be. */
  notes: number
  /** The end of the run it looks at closes it; one that was over before it came does not. */
  joinedAfter: MachineNote | undefined
  size: { cols: number; rows: number } | null
  live: boolean
  /** `again` while it is busy and there is more to look at. */
  pump: 'idle' | 'busy' | 'again'
  gone: boolean
}

const chunkBytes = 64 * 1024

/**
 * What all who look at one console share. Everybody reads the kept output at their own pace, one piece on its way at
 * a time, so a slow viewer holds up nobody and costs no memory.
 */
export function makeConsoleSession(
  terminal: MachineConsole,
  options: { screen: boolean; onEmpty: () => void },
) {
  const seats = new Set<Seat>()
  const stop = terminal.onChange(() => {
    for (const seat of seats) void pump(seat)
  })

  async function pump(seat: Seat): Promise<void> {
    if (seat.pump !== 'idle') {
      seat.pump = 'again'
      return
    }
    try {
      do {
        seat.pump = 'busy'
        await catchUp(seat)
        // What came meanwhile may have found it busy.
      } while ((seat.pump as Seat['pump']) === 'again')
      seat.pump = 'idle'
    } catch {
      // The line is gone, or what is kept cannot be read: whoever still looks comes back.
      leave(seat)
      seat.line.close(consoleCloses.away, 'The console could not be read')
    }
  }

  async function catchUp(seat: Seat): Promise<void> {
    while (!seat.gone) {
      const { first, end } = terminal.extent()
      if (seat.at < first) {
        seat.at = first
        seat.line.say({ type: 'at', offset: first })
      }
      const notes = terminal.notes()
      const note = notes[seat.notes]
      if (note && note.offset <= seat.at) {
        seat.notes++
        seat.line.say(sayingOf(note))
        if (isEnd(note) && isAfter(note, seat.joinedAfter) && notes.length === seat.notes) dismiss(seat)
        continue
      }
      const until = Math.min(end, note?.offset ?? end, seat.at + chunkBytes)
      const bytes = seat.at < until ? await terminal.read(seat.at, until - seat.at) : Buffer.alloc(0)
      if (bytes.length === 0) {
        if (!seat.live) seat.line.say({ type: 'live' })
        seat.live = true
        return
      }
      seat.at += bytes.length
      await seat.line.send(bytes)
    }
  }

  /** Tells everybody who is here. */
  function introduce(): void {
    for (const seat of seats) {
      const viewers = [...seats].map(({ name, line }) => ({ name, you: line === seat.line }))
      seat.line.say({ type: 'viewers', viewers })
    }
  }

  /** All see the same picture, so it is as large as the smallest of their windows. */
  function fit(): void {
    const sizes = [...seats].flatMap(({ size }) => size ?? [])
    if (sizes.length === 0) return
    terminal.resize({
      cols: Math.min(...sizes.map(({ cols }) => cols)),
      rows: Math.min(...sizes.map(({ rows }) => rows)),
    })
  }

  function leave(seat: Seat): void {
    if (seat.gone) return
    seat.gone = true
    seats.delete(seat)
    introduce()
    if (seat.size) fit()
    if (seats.size === 0) close()
  }

  function dismiss(seat: Seat): void {
    leave(seat)
    seat.line.close(consoleCloses.ended, 'The guest stopped')
  }

  function close(): void {
    stop()
    terminal.close()
    options.onEmpty()
  }

  return {
    count: () => seats.size,
    isFull: () => seats.size >= viewersPerConsole,

    /** Lets somebody look, from an offset on or from the last bytes. */
    join(name: string, from: number | undefined, line: ViewerLine): Viewer {
      const { first, end } = terminal.extent()
      // An offset from before the machine was made anew means nothing now.
      const wanted = from !== undefined && from <= end ? from : end - consoleTailBytes
      const at = Math.max(first, wanted)
      const notes = terminal.notes()
      const seat: Seat = {
        name,
        line,
        at,
        live: false,
        size: null,
        pump: 'idle',
        gone: false,
        notes: notes.filter(({ offset }) => offset < at).length,
        joinedAfter: notes.at(-1),
      }
      seats.add(seat)
      line.say({ type: 'at', offset: at })
      line.say({ type: 'screen', available: options.screen })
      introduce()
      void pump(seat)
      return {
        async type(bytes) {
          await terminal.write(bytes)
        },
        resize(size) {
          seat.size = size
          fit()
        },
        awaitsGuest() {
          const last = terminal.notes().at(-1)
          return !seat.gone && (!last || isEnd(last))
        },
        leave: () => leave(seat),
        end: () => dismiss(seat),
      }
    },

    /** Sends everybody away; they come back when they can. */
    end(code: number, reason: string): void {
      for (const seat of [...seats]) {
        leave(seat)
        seat.line.close(code, reason)
      }
    },
  }
}

export type ConsoleSession = ReturnType<typeof makeConsoleSession>

const isEnd = ({ what }: MachineNote) => what === 'ended' || what === 'suspended' || what === 'crashed'

/** Notes may be forgotten, so they are told apart by what they say rather than by their number. */
const isAfter = (note: MachineNote, other: MachineNote | undefined) =>
  !other || note.offset > other.offset || note.at > other.at

const sayingOf = ({ what, offset, at }: MachineNote): ConsoleSaying => ({
  type: 'note',
  note: what,
  offset,
  at: new Date(at).toISOString(),
})
