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
import type { LinkState } from './console-link.ts'
import type { Piece } from './console-stream.ts'

type Machine = Pick<Vm, 'status' | 'status_message' | 'steps'>

/** What the bar says of the line, and the status word whose sign stands before it. */
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
        : { glyph: 'stopped', text: 'VM is off' }
    case 'gone':
      return { glyph: 'stopped', text: 'VM is gone' }
    case 'refused':
      return { glyph: 'stopped', text: 'Session ended' }
    case 'full':
      return { glyph: 'stopped', text: 'Not connected' }
  }
}

/** Why there is no console now, and what can be done about it; null where the bar says all. */
export function noticeOf(
  state: LinkState,
  vm: Machine | undefined,
): { text: string; action: 'start' | 'sign-in' | 'retry' | null } | null {
  if (state === 'connected' || state === 'reconnecting') return null
  if (state === 'refused')
    return { text: 'Your session has ended. Sign in again to go on here.', action: 'sign-in' }
  if (state === 'gone') return { text: 'This VM does not exist any more.', action: null }
  if (state === 'full') {
    return { text: `${viewersPerConsole} windows look at this console already.`, action: 'retry' }
  }
  if (!vm) return null
  if (isComing(vm)) {
    const step = currentStep(vm)?.replace(/\.$/, '')
    return { text: `${step}. The console opens by itself.`, action: null }
  }
  if (state === 'connecting') return null
  if (vm.status === 'stopping') return { text: 'The VM is stopping.', action: null }
  if (vm.status === 'failed' || vm.status === 'error') {
    return {
      text: vm.status_message ?? 'The VM failed. The server gave no reason.',
      action: vmCan.start(vm) === true ? 'start' : null,
    }
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
  return `${size} were forgotten before they could be shown`
}
