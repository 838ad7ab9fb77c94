import {
  type ConsoleNote,
  consoleNotes,
  isComing,
  type Vm,
  viewersPerConsole,
  vmCan,
} from '@slipway/contract'
import { formatClock, formatDateTime } from '../../time.ts'
import { currentStep } from '../vm/vm-steps.ts'
import type { Piece } from './console-stream.ts'
import type { LinkState } from './link-view.ts'
import type { LostInput } from './outbox.ts'
import type { ScreenState } from './screen-link.ts'

type Machine = Pick<Vm, 'status' | 'status_message' | 'steps'>

/** What the bar says about the connection, and the status whose sign stands before it. */
export function lineWords(state: LinkState, vm: Machine | undefined): { glyph: string; text: string } {
  switch (state) {
    case 'connected':
      return { glyph: 'connected', text: 'Connected' }
    case 'connecting':
      return { glyph: 'pending', text: 'Connecting...' }
    case 'reconnecting':
      return { glyph: 'pending', text: 'Reconnecting...' }
    case 'off':
      return vm && isComing(vm)
        ? { glyph: 'pending', text: 'Waiting' }
        : vm?.status === 'suspended'
          ? { glyph: 'suspended', text: 'VM is suspended' }
          : { glyph: 'stopped', text: 'VM is off' }
    case 'gone':
      return { glyph: 'stopped', text: 'VM deleted' }
    case 'refused':
      return { glyph: 'stopped', text: 'Session ended' }
    case 'full':
      return { glyph: 'stopped', text: 'Not connected' }
  }
}

export interface NoticeWords {
  text: string
  action: 'start' | 'sign-in' | 'retry' | null
}

const refused: NoticeWords = {
  text: 'Your session has ended. Sign in again to continue here.',
  action: 'sign-in',
}

/** Why there is no console now, and what can be done about it; null where the bar says everything. */
export function noticeOf(state: LinkState, vm: Machine | undefined): NoticeWords | null {
  if (state === 'connected' || state === 'reconnecting') return null
  if (state === 'refused') return refused
  if (state === 'gone') return { text: 'This VM no longer exists.', action: null }
  if (state === 'full') {
    return {
      text: `Too many viewers: ${viewersPerConsole} windows already show this console.`,
      action: 'retry',
    }
  }
  if (!vm) return null
  if (isComing(vm)) {
    const step = currentStep(vm)?.replace(/\.$/, '')
    return { text: `${step}. The console opens automatically.`, action: null }
  }
  if (state === 'connecting') return null
  if (vm.status === 'stopping') return { text: 'The VM is stopping.', action: null }
  if (vm.status === 'failed' || vm.status === 'error') {
    return {
      text: vm.status_message ?? 'The VM failed. The server gave no reason.',
      action: vmCan.start(vm) === true ? 'start' : null,
    }
  }
  if (vm.status === 'suspended') {
    return { text: 'The VM is suspended. Start it or type to go on where it was.', action: 'start' }
  }
  return { text: 'The VM is off.', action: 'start' }
}

/** A note between the lines of a console, with the local time; with the date unless it was today. */
export function noteText(note: ConsoleNote, at: string, now = new Date()): string {
  const moment = new Date(at)
  const today = moment.toDateString() === now.toDateString()
  return `${consoleNotes[note]}, ${today ? formatClock(moment.getTime()) : formatDateTime(at)}`
}

export function gapText({ bytes }: Extract<Piece, { kind: 'gap' }>): string {
  const size = bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} kB`
  return `${size} were discarded before they could be shown`
}

/** What the bar of a screen says about its connection. */
export function screenWords(state: ScreenState): string {
  switch (state) {
    case 'connected':
      return ''
    case 'connecting':
      return 'Connecting...'
    case 'reconnecting':
      return 'Reconnecting...'
    case 'off':
      return 'VM is off'
    default:
      return 'Not connected'
  }
}

/** Why there is no screen now; null where the bar, or the notice of the serial console, says it. */
export function screenNoticeOf(state: ScreenState): NoticeWords | null {
  if (state === 'unreachable') {
    return { text: 'The screen was disconnected and the server does not respond.', action: 'retry' }
  }
  if (state === 'failed') {
    return { text: 'The VM is running, but its screen could not be opened.', action: 'retry' }
  }
  return null
}

/** What to say about input that a broken connection swallowed, or may have swallowed. */
export function lostText({ unsent, unconfirmed }: LostInput): string {
  const count = unsent + unconfirmed
  const bytes = count === 1 ? '1 byte' : `${count} bytes`
  return unconfirmed === 0
    ? `The connection was lost. ${bytes} of your input did not reach the VM.`
    : `The connection was lost. Up to ${bytes} of your input may not have reached the VM. Check before you type it again.`
}

/** A line across the console that separates what was printed before from what follows. */
export function ruleLine(text: string, cols: number): string {
  return `\u2500\u2500 ${text} ${'\u2500'.repeat(Math.max(2, Math.min(cols, 72) - text.length - 4))}`
}
