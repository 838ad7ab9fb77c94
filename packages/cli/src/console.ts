import { ApiError } from '@slipway/client'
import type { Vm } from '@slipway/contract'
import {
  type ConsoleNote,
  consoleCloses,
  consoleNotes,
  terminalLimits,
} from '@slipway/contract/console.rules.ts'
import { fillPath, routeOf } from '@slipway/contract/endpoint.ts'
import { vmCan } from '@slipway/contract/vm.rules.ts'
import { Failure, failureOf } from './failure.ts'
import { note } from './output.ts'
import type { Session } from './session.ts'

/** Ctrl-], as in telnet and `virsh console`. */
const leaveKey = 0x1d

interface Place {
  projectId: string
  vmId: string
}

/** Connects the terminal with the serial console of a VM, until that closes or Ctrl-] is typed. */
export async function openConsole(session: Session, place: Place): Promise<void> {
  await admit(session, place)
  const path = fillPath(routeOf('vm.console').path, { ...place })
  const socket = new WebSocket(session.server.replace(/^http/, 'ws') + path, {
    headers: { authorization: `Bearer ${session.token}` },
  })
  socket.binaryType = 'arraybuffer'
  const { stdin, stdout } = process
  const closed = Promise.withResolvers<number>()
  const resize = () => {
    const { columns: cols, rows } = stdout
    if (!stdout.isTTY || cols < 2) return
    const size = { cols: Math.min(cols, terminalLimits.cols), rows: Math.min(rows, terminalLimits.rows) }
    socket.send(JSON.stringify({ type: 'resize', ...size }))
  }
  const typed = (bytes: Buffer) => {
    const at = stdin.isTTY ? bytes.indexOf(leaveKey) : -1
    const mine = at === -1 ? bytes : bytes.subarray(0, at)
    if (mine.length > 0) socket.send(new Uint8Array(mine))
    if (at !== -1) socket.close(1000)
  }
  socket.onopen = () => {
    if (stdin.isTTY) note('Connected. Ctrl-] leaves.')
    if (stdin.isTTY) stdin.setRawMode(true)
    stdin.on('data', typed)
    stdout.on('resize', resize)
    resize()
  }
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') said(data)
    else stdout.write(new Uint8Array(data))
  }
  socket.onclose = ({ code }) => closed.resolve(code)
  const code = await closed.promise
  stdin.off('data', typed)
  stdout.off('resize', resize)
  if (stdin.isTTY) stdin.setRawMode(false)
  stdin.pause()
  end(code)
}

/** Refuses with the sentence of the server, which a socket that does not open cannot give. */
async function admit(session: Session, { projectId, vmId }: Place): Promise<void> {
  const params = { projectId, vmId }
  // The server has parsed it by its schema.
  const vm = (await session.call('vm.get', { params })) as Vm
  const verdict = vmCan.console(vm)
  if (verdict !== true) throw new Failure('failed', verdict)
  const asked = await session.client.open('vm.console', { params }).catch((error: unknown) => error)
  // Whoever may open it is told that this takes a WebSocket.
  if (asked instanceof ApiError && asked.status !== 426) throw failureOf(asked, session.server)
}

function said(text: string): void {
  const { type, note: what } = JSON.parse(text) as { type: string; note?: ConsoleNote }
  if (type === 'note' && what !== undefined) process.stderr.write(`\r\n-- ${consoleNotes[what]} --\r\n`)
}

function end(code: number): void {
  // 1005: left by Ctrl-], to which the server has nothing to add.
  if (code === consoleCloses.ended || code === 1005) return
  if (code === consoleCloses.refused)
    throw new Failure('notAllowed', 'The token may no longer use this console.')
  if (code === consoleCloses.full) throw new Failure('failed', 'Too many viewers on this console')
  throw new Failure('failed', 'The connection to the console was lost. Connect again to go on.')
}
