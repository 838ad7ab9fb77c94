import type { Clock } from '../../lib/clock.ts'
import type { MachineConsole, MachineNote } from '../engine.ts'

/** What a simulated machine has printed; kept with it. */
export interface Paper {
  first: number
  /** Latin 1, so that a character is a byte. */
  text: string
  notes: MachineNote[]
  /** The line that is being typed. */
  line: string
}

export const blankPaper = (): Paper => ({ first: 0, text: '', notes: [], line: '' })

const keptBytes = 256 * 1024

export interface SimulatedGuest {
  hostname: string
  lives: () => boolean
  isUp: () => boolean
  /** Restarts or ends it from inside. */
  reboot: () => void
  powerOff: () => void
}

/**
 * Consoles of guests that are not there: they print while they boot, and answer like a very small shell, so that
 * everything a terminal does can be tried without a real machine. `seq` and `flood` print a lot.
 */
export function makeSimulatedConsoles({ clock, changed }: { clock: Clock; changed: (id: string) => void }) {
  const listeners = new Map<string, Set<() => void>>()
  const papers = new Map<string, Paper>()

  const paperOf = (id: string): Paper => {
    const paper = papers.get(id) ?? blankPaper()
    papers.set(id, paper)
    return paper
  }
  const tell = (id: string) => {
    changed(id)
    for (const listener of [...(listeners.get(id) ?? [])]) listener()
  }
  const end = (paper: Paper) => paper.first + paper.text.length

  function print(id: string, text: string): void {
    const paper = paperOf(id)
    paper.text += Buffer.from(text, 'utf8').toString('latin1')
    const over = paper.text.length - keptBytes
    if (over > 0) {
      paper.text = paper.text.slice(over)
      paper.first += over
      paper.notes = paper.notes.filter(({ offset }) => offset >= paper.first)
    }
    tell(id)
  }
  const prompt = ({ hostname }: SimulatedGuest) => `\x1b[32mroot@${hostname}\x1b[0m:~# `

  function obey(id: string, guest: SimulatedGuest, line: string): void {
    const [command = '', ...args] = line.trim().split(/\s+/)
    const count = Math.min(100_000, Number(args[0]) || 0)
    const answers: Record<string, () => string> = {
      '': () => '',
      echo: () => `${args.join(' ')}\r\n`,
      hostname: () => `${guest.hostname}\r\n`,
      seq: () => Array.from({ length: count }, (_, i) => `${i + 1}\r\n`).join(''),
      clear: () => '\x1b[H\x1b[2J',
    }
    if (command === 'reboot' || command === 'poweroff') {
      if (command === 'reboot') guest.reboot()
      else guest.powerOff()
      return
    }
    const answer = answers[command] ?? (() => `sh: ${command}: not found (simulated)\r\n`)
    print(id, answer() + prompt(guest))
  }

  function type(id: string, guest: SimulatedGuest, bytes: Buffer): void {
    const paper = paperOf(id)
    for (const char of bytes.toString('utf8')) {
      if (char === '\r' || char === '\n') {
        const { line } = paper
        paper.line = ''
        print(id, '\r\n')
        obey(id, guest, line)
      } else if (char === '\x7f') {
        if (paper.line !== '') print(id, '\b \b')
        paper.line = paper.line.slice(0, -1)
      } else if (char === '\x03') {
        paper.line = ''
        print(id, `^C\r\n${prompt(guest)}`)
      } else if (char >= ' ') {
        paper.line += char
        print(id, char)
      }
    }
  }

  return {
    note(id: string, what: MachineNote['what']) {
      const paper = paperOf(id)
      paper.notes.push({ what, offset: end(paper), at: clock.now() })
      paper.line = ''
      tell(id)
    },
    boots(id: string, { hostname }: SimulatedGuest) {
      print(id, `[    0.000000] Linux version 6.12 (simulated)\r\n[    0.120000] Booting ${hostname}\r\n`)
    },
    isUp(id: string, guest: SimulatedGuest) {
      print(
        id,
        `\r\nNothing is executed here: this guest is simulated.\r\n${guest.hostname} login: root (automatic login)\r\n${prompt(guest)}`,
      )
    },
    forget(id: string) {
      papers.delete(id)
      tell(id)
    },
    print,

    open(id: string, guest: () => SimulatedGuest | null): MachineConsole {
      const mine = new Set<() => void>()
      const all = listeners.get(id) ?? new Set()
      listeners.set(id, all)
      return {
        extent: () => {
          const paper = paperOf(id)
          return { first: paper.first, end: end(paper) }
        },
        async read(from, max) {
          const { first, text } = paperOf(id)
          return Buffer.from(text.slice(from - first, from - first + max), 'latin1')
        },
        notes: () => paperOf(id).notes,
        onChange(listener) {
          all.add(listener)
          mine.add(listener)
          return () => all.delete(listener)
        },
        async write(bytes) {
          const there = guest()
          if (!there?.lives()) return false
          if (there.isUp()) type(id, there, bytes)
          return true
        },
        resize() {},
        close() {
          for (const listener of mine) all.delete(listener)
        },
      }
    },

    papers,
  }
}
