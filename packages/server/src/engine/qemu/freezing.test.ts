import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { directoryForEach } from '../../lib/directory.test-kit.ts'
import { silentLog } from '../../lib/log.ts'
import { UnansweredError } from './agent.ts'
import { type Agent, AgentRefusal } from './agent-line.ts'
import { exists } from './durable.ts'
import { makeFreezing } from './freezing.ts'

describe('file systems of a guest', () => {
  const dir = directoryForEach()
  let gone: AbortController
  /** What the agent was asked, and what it makes of it. */
  let asked: string[]
  let answers: (command: string) => unknown
  let isThere: boolean

  beforeEach(() => {
    gone = new AbortController()
    asked = []
    answers = () => 1
    isThere = true
  })
  afterEach(() => gone.abort())

  const line: Agent = {
    async execute(command) {
      asked.push(command.replace('guest-fsfreeze-', ''))
      const answer = answers(command.replace('guest-fsfreeze-', ''))
      if (answer instanceof Error) throw answer
      return answer
    },
    close() {},
  }
  const freezing = () =>
    makeFreezing({
      machineId: 'vm-1',
      agent: {
        talk: async (work) => {
          if (!isThere) throw new UnansweredError()
          return work(line)
        },
      },
      dirs: {
        fileOf: (_, name) => join(dir(), name),
        has: (_, name) => exists(join(dir(), name)),
      },
      log: silentLog,
      gone: gone.signal,
    })
  const late = new Error('The guest agent did not answer in time')

  test('are held still for a copy, and move again', async () => {
    const frozen = await freezing().whileFrozen(async () => {
      asked.push('copy')
      expect(await readdir(dir())).toEqual(['frozen'])
    })
    expect([frozen, asked, await readdir(dir())]).toEqual([true, ['freeze', 'copy', 'thaw'], []])
  })

  test('are copied as they are where nobody answers, or holds them', async () => {
    isThere = false
    expect(await freezing().whileFrozen(async () => void asked.push('copy'))).toBe(false)
    isThere = true
    answers = (command) => (command === 'freeze' ? new AgentRefusal() : 0)
    expect(await freezing().whileFrozen(async () => void asked.push('copy'))).toBe(false)
    expect([asked, await readdir(dir())]).toEqual([['copy', 'freeze', 'copy', 'thaw'], []])
  })

  test('move again also when the copy fails', async () => {
    const copy = () => Promise.reject(new Error('no room'))
    await expect(freezing().whileFrozen(copy)).rejects.toThrow('no room')
    expect([asked, await readdir(dir())]).toEqual([['freeze', 'thaw'], []])
  })

  test('are thawed later when the agent freezes late, and answers nothing for a while', async () => {
    answers = () => late
    expect(await freezing().whileFrozen(async () => {})).toBe(false)
    await vi.waitFor(() => expect(asked).toEqual(['freeze', 'thaw', 'thaw']), 5000)
    isThere = false
    expect(await readdir(dir())).toEqual(['frozen'])
    answers = () => 1
    isThere = true
    await vi.waitFor(async () => expect(await readdir(dir())).toEqual([]), 5000)
  })

  test('are left alone by who must not thaw them, unless it has frozen them', async () => {
    answers = (command) => (command === 'status' ? 'thawed' : new AgentRefusal())
    await freezing().whileFrozen(async () => {})
    expect([asked, await readdir(dir())]).toEqual([['freeze', 'thaw', 'status'], []])
    answers = (command) => (command === 'status' ? 'frozen' : new AgentRefusal())
    await freezing().whileFrozen(async () => {})
    expect(await readdir(dir())).toEqual(['frozen'])
    answers = () => 1
    await vi.waitFor(async () => expect(await readdir(dir())).toEqual([]), 5000)
  })

  test('that an earlier process left frozen are thawed, and those of a guest that boots are not', async () => {
    await freezing().thawIfLeft()
    expect(asked).toEqual([])
    await writeFile(join(dir(), 'frozen'), '')
    isThere = false
    await freezing().thawIfLeft()
    isThere = true
    await vi.waitFor(async () => expect(await readdir(dir())).toEqual([]), 5000)
    expect(asked).toEqual(['thaw'])

    await writeFile(join(dir(), 'frozen'), '')
    await freezing().forget()
    await freezing().thawIfLeft()
    expect([asked, await readdir(dir())]).toEqual([['thaw'], []])
  })

  test('nobody goes on asking about a guest that is gone', async () => {
    answers = () => late
    await freezing().whileFrozen(async () => {})
    gone.abort()
    const before = asked.length
    await new Promise((resolve) => setTimeout(resolve, 1200))
    // At most the try that had begun.
    expect(asked.length).toBeLessThanOrEqual(before + 1)
    expect(await readdir(dir())).toEqual(['frozen'])
  })
})
