import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { endProcess } from './process.ts'

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
