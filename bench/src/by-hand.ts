/** What Slipway's storage is measured against: the same commands of QEMU, sent by hand to the same guest. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, open, readFile, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Milliseconds until the copy was complete, and until it was on the disk of the host, too. */
export interface Span {
  complete: number
  safe: number
}

interface Message {
  return?: unknown
  error?: { desc: string }
  event?: string
}

/** The line to a QEMU; it takes one caller at a time, so no server may be there. */
export async function openLine(path: string) {
  const socket = connect(path)
  await once(socket, 'connect')
  const answers: ((message: Message) => void)[] = []
  const listeners = new Set<(event: string) => void>()
  createInterface(socket)
    .on('error', (error) => {
      throw new Error('QEMU ended in the middle of work by hand', { cause: error })
    })
    .on('line', (line) => {
      // Each line is a message of this protocol.
      const message = JSON.parse(line) as Message
      const { event } = message
      if (event !== undefined) for (const listener of listeners) listener(event)
      else if ('return' in message || 'error' in message) answers.shift()?.(message)
    })
  async function execute(command: string, args: object = {}): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<Message>()
    answers.push(resolve)
    socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`)
    const answer = await promise
    if (answer.error) throw new Error(`${command}: ${answer.error.desc}`)
    return answer.return
  }
  await execute('qmp_capabilities')
  return {
    execute,
    /** Resolves when an event came so many times; begin to wait before what causes it. */
    times: (wanted: string, count: number) =>
      new Promise<void>((resolve) => {
        let seen = 0
        const listener = (event: string) => {
          if (event === wanted && ++seen === count) {
            listeners.delete(listener)
            resolve()
          }
        }
        listeners.add(listener)
      }),
    close: () => socket.destroy(),
  }
}

export interface Guest {
  line: Awaited<ReturnType<typeof openLine>>
  /** The directory its QEMU works in, and that one's user. */
  dir: string
  uid: number
}

export async function openGuest(dir: string, pid: number): Promise<Guest> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return { dir, uid: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]), line: await openLine(join(dir, 'qmp.sock')) }
}

export interface Copy {
  /** The node of QEMU to copy. */
  node: string
  virtualBytes: number
  /** What to copy: `full`, `top`, or what a bitmap has noted. */
  what: 'full' | 'top' | { notedBy: string }
}

/** Where a copy lies until it has been measured. */
const targetOf = (guest: Guest, index: number) => join(guest.dir, `hand-${index}.qcow2`)

export async function removeCopies(guest: Guest, copies: readonly Copy[]): Promise<void> {
  for (const index of copies.keys()) await rm(targetOf(guest, index))
  await rm(join(guest.dir, 'hand.memory'), { force: true })
}

async function flush(path: string): Promise<void> {
  const file = await open(path)
  await file.sync()
  await file.close()
}

/** Copies disks of a running guest, with `memory` at the moment that was saved of it. */
export async function copyDisks(
  guest: Guest,
  copies: readonly Copy[],
  options: { noteIn?: string; memory?: boolean } = {},
): Promise<Span> {
  const { line, uid } = guest
  const began = performance.now()
  for (const [index, { virtualBytes }] of copies.entries()) {
    const target = targetOf(guest, index)
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', target, `${virtualBytes}`])
    await chown(target, uid, -1)
  }
  const received = options.memory ? await saveMemory(guest) : Promise.resolve()
  for (const index of copies.keys()) {
    const file = { driver: 'file', filename: `hand-${index}.qcow2` }
    await line.execute('blockdev-add', {
      driver: 'qcow2',
      'node-name': `hand-${index}`,
      backing: null,
      file,
    })
  }
  const note = options.noteIn && {
    type: 'block-dirty-bitmap-add',
    data: { node: copies[0]?.node, name: options.noteIn },
  }
  const backups = copies.map(({ node, what }, index) => ({
    type: 'blockdev-backup',
    data: {
      'job-id': `hand-${index}`,
      device: node,
      target: `hand-${index}`,
      ...(typeof what === 'string'
        ? { sync: what }
        : { sync: 'bitmap', bitmap: what.notedBy, 'bitmap-mode': 'never' }),
    },
  }))
  const done = line.times('BLOCK_JOB_COMPLETED', copies.length)
  await line.execute('transaction', { actions: [...(note ? [note] : []), ...backups] })
  if (options.memory) await goOn(guest)
  await done
  await received
  for (const index of copies.keys()) await closeNode(guest, `hand-${index}`)
  const complete = performance.now() - began
  for (const index of copies.keys()) await flush(targetOf(guest, index))
  if (options.memory) await flush(join(guest.dir, 'hand.memory'))
  return { complete, safe: performance.now() - began }
}

/** QEMU 7.2 dies when it takes disks into use again after saving memory while jobs read them. */
async function goOn({ line }: Guest): Promise<void> {
  // The QMP reference has this shape.
  const jobs = async () => (await line.execute('query-jobs')) as { id: string; status: string }[]
  for (const { id } of await jobs()) await line.execute('job-pause', { id })
  while ((await jobs()).some(({ status }) => status !== 'paused')) await sleep(1)
  await line.execute('cont')
  for (const { id } of await jobs()) await line.execute('job-resume', { id })
}

/** A job that is complete lets go of its nodes a moment later. */
async function closeNode({ line }: Guest, node: string): Promise<void> {
  for (;;) {
    const closed = await line.execute('blockdev-del', { 'node-name': node }).then(
      () => true,
      () => false,
    )
    if (closed) return
    await sleep(1)
  }
}

/** The guest stands still when it returns; the promise within ends when its memory is in the file. */
async function saveMemory({ line, dir }: Guest): Promise<Promise<void>> {
  const path = join(dir, 'hand.sock')
  await rm(path, { force: true })
  const server = createServer({ pauseOnConnect: true })
  const received = once(server, 'connection').then(async ([socket]: Socket[]) => {
    const file = await open(join(dir, 'hand.memory'), 'w')
    const copying = spawn('cat', { stdio: [socket, file.fd, 'ignore'] })
    socket?.destroy()
    await once(copying, 'close')
    await file.close()
  })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o666)
  await line.execute('migrate-set-parameters', { 'max-bandwidth': 0, 'downtime-limit': 150 })
  await line.execute('migrate', { uri: 'unix:hand.sock' })
  for (;;) {
    // The QMP reference has this shape.
    const { status } = (await line.execute('query-migrate')) as { status: string }
    if (status === 'completed') break
    if (status === 'failed') throw new Error('The memory was not saved by hand')
    await sleep(5)
  }
  server.close()
  return received
}

/** Writes what a disk shows into a file that builds upon nothing. */
export async function convert(from: string, to: string): Promise<Span> {
  const began = performance.now()
  await run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'qcow2', from, to])
  const complete = performance.now() - began
  await flush(to)
  const safe = performance.now() - began
  await rm(to)
  return { complete, safe }
}

/** Copies files to places beside their names, as a restore of a machine that is off does. */
export async function copyFiles(files: readonly { from: string; to: string }[]): Promise<Span> {
  const began = performance.now()
  for (const { from, to } of files) await run('cp', ['--reflink=auto', from, to])
  const complete = performance.now() - began
  for (const { to } of files) await flush(to)
  const safe = performance.now() - began
  for (const { to } of files) await rm(to)
  return { complete, safe }
}
