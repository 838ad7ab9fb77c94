import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { directoryOfTest } from '../../lib/directory.test-kit.ts'
import { endAllOf, endProcess } from './process.ts'

async function stateOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2)[0] ?? null
}

describe('the end of a process', () => {
  test('is waited for politely, and one that ends by itself is not killed', async () => {
    let looks = 0
    const isAlive = async () => {
      looks += 1
      return looks < 3
    }
    const kill = () => expect.unreachable('It was killed')
    await endProcess({ isAlive, kill }, { politeMs: 60_000 })
  })

  test('comes by force when it is stopped', async () => {
    const child = spawn('sleep', ['600'])
    const pid = child.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    while ((await stateOf(pid)) !== 'T') await sleep(5)
    const isAlive = async () => child.exitCode === null && child.signalCode === null
    await endProcess({ isAlive, kill: () => process.kill(pid, 'SIGKILL') }, { politeMs: 50 })
    expect(child.signalCode).toBe('SIGKILL')
  })

  test('is given up when force does not help, as with one that waits for a disk', async () => {
    let kills = 0
    const stuck = { isAlive: async () => true, kill: () => kills++ }
    await expect(endProcess(stuck, { politeMs: 10, killedMs: 50 })).rejects.toMatchObject({
      name: 'EngineError',
      retryable: true,
      message: expect.stringContaining('could not be stopped'),
    })
    expect(kills).toBe(1)
  })
})

test('all processes of a machine are ended, but none of its copy in another directory', async () => {
  const home = directoryOfTest()
  // A shell by the name of QEMU; what comes after its script are arguments that it does not look at.
  const program = join(home, 'qemu-system-test')
  await copyFile('/bin/sh', program)
  const id = randomUUID()
  const machineIn = async (name: string, uuid: string) => {
    const cwd = join(home, name)
    await mkdir(cwd, { recursive: true })
    const child = spawn(program, ['-c', 'read line', 'sh', '-uuid', uuid], { cwd })
    onTestFinished(() => void child.kill('SIGKILL'))
    while ((await stateOf(child.pid ?? 0)) !== 'S') await sleep(5)
    return child
  }
  const own = [await machineIn('own', id), await machineIn('own', id)]
  const others = [await machineIn('copy', id), await machineIn('own', randomUUID())]
  await endAllOf(id, join(home, 'own'))
  expect(own.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', 'SIGKILL'])
  expect(others.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null])
})
