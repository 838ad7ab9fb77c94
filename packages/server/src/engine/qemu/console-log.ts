/** The output of machines as QEMU itself writes it, whether a server lives or not, and the line into them. */
import { constants, open as openCallback } from 'node:fs'
import { chmod, open, rm, symlink } from 'node:fs/promises'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { run } from '../../lib/command.ts'
import type { Log } from '../../lib/log.ts'
import { makeConsoleLogs } from '../console/console-logs.ts'
import { ifThere, readJson, UnreadableError } from './durable.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { isConsoleIndex } from './record-shapes.ts'

/** A plain descriptor: it goes to the socket, which closes it. */
const openFd = promisify(openCallback)

/** In the directories of machines. */
export const consoleLogsIn = (dirs: MachineDirs, log: Log) =>
  makeConsoleLogs({
    files: {
      output: (machineId) => dirs.fileOf(machineId, fileNames.serialLog),
      index: (machineId) => dirs.fileOf(machineId, fileNames.console),
      readIndex: (path) => readJson(path, isConsoleIndex),
      isDamaged: (error) => error instanceof UnreadableError && error.damaged,
    },
    log,
  })

/** Lets nobody else read what a machine prints; earlier versions let everybody. */
export async function sealOutput(dirs: MachineDirs, machineId: string): Promise<void> {
  const path = dirs.fileOf(machineId, fileNames.serialLog)
  await ifThere(path, chmod(path, 0o600))
}

/**
 * Makes what QEMU needs for a serial line. It opens the pipe for both ways, so the line outlives every writer. The log
 * is made for it, because QEMU would let everybody read it; QEMU opens it before it becomes the guests' user.
 */
export async function makeSerialLine(dirs: MachineDirs, machineId: string): Promise<void> {
  const output = await open(dirs.fileOf(machineId, fileNames.serialLog), 'a', 0o600)
  await output.chmod(0o600).finally(() => output.close())
  if (await dirs.has(machineId, fileNames.serialIn)) return
  await rm(dirs.fileOf(machineId, fileNames.serialOut), { force: true })
  await symlink('/dev/null', dirs.fileOf(machineId, fileNames.serialOut))
  await run('mkfifo', ['-m', '600', dirs.fileOf(machineId, fileNames.serialIn)])
}

/** Opens the line to a living guest; null when nobody listens at the other end. */
export async function openSerialLine(dirs: MachineDirs, machineId: string): Promise<Socket | null> {
  try {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK
    const fd = await openFd(dirs.fileOf(machineId, fileNames.serialIn), flags)
    return new Socket({ fd, readable: false, writable: true })
  } catch {
    return null
  }
}
