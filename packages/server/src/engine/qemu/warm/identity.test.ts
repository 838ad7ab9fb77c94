import { describe, expect, test } from 'vitest'
import { type AgentTalk, UnansweredError } from '../agent.ts'
import type { Agent } from '../agent-line.ts'
import { dropIdentity, GuestProgramError, renewIdentity } from './identity.ts'
import { addressOf, type Identity } from './identity-text.ts'

/** An agent that answers `guest-exec-status` with these, one after the other. */
function playedAgent(states: unknown[], begun: unknown = { pid: 7 }) {
  const asked: { command: string; args: Record<string, unknown> }[] = []
  const agent: Agent = {
    async execute(command, args) {
      asked.push({ command, args })
      return command === 'guest-exec' ? begun : (states.shift() ?? { exited: false })
    },
    close: () => {},
  }
  return { agent, asked }
}
const talkTo = (agent: Agent): AgentTalk => ({ talk: (work) => work(agent) })
const { signal } = new AbortController()
const who: Identity = {
  spec: { id: 'a', hostname: 'web-1', sshPublicKeys: [] },
  network: addressOf({}),
  bootId: null,
}

describe('The identity of a guest', () => {
  test('is renewed by a program that is told all of it, each time with other random numbers', async () => {
    const { agent, asked } = playedAgent([
      { exited: false },
      { exited: true, exitcode: 0 },
      { exited: true, exitcode: 0 },
    ])
    await renewIdentity(talkTo(agent), who, signal)
    await renewIdentity(talkTo(agent), who, signal)
    const runs = asked.filter(({ command }) => command === 'guest-exec').map(({ args }) => args)
    const isProgram = { path: '/usr/lib/slipway/renew-identity', arg: [] }
    expect(runs).toMatchObject([isProgram, isProgram])
    const [one, other] = runs.map((args) => String(Buffer.from(String(args['input-data']), 'base64')))
    expect(one).toContain("name='web-1'\n")
    expect(one?.split('\n')[0]).toMatch(/^random='[0-9a-f]{128}'$/)
    expect(one?.split('\n')[0]).not.toBe(other?.split('\n')[0])
    expect(asked.filter(({ command }) => command === 'guest-exec-status')[0]?.args).toEqual({ pid: 7 })
  })

  test('is asked for ever more rarely while the program works, and at once when the guest says that it is ready', async () => {
    const askedIn = async (count: number, saysReady: () => Promise<boolean>) => {
      const { agent, asked } = playedAgent([
        ...Array.from({ length: count - 1 }, () => ({ exited: false })),
        { exited: true, exitcode: 0 },
      ])
      await renewIdentity(talkTo(agent), who, signal, saysReady)
      return asked.filter(({ command }) => command === 'guest-exec-status').length
    }
    let looks = 0
    const look = async (from: number) => {
      looks += 1
      return looks >= from
    }
    expect(await askedIn(5, () => look(Number.POSITIVE_INFINITY))).toBe(5)
    expect(looks).toBeGreaterThan(5)
    looks = 0
    expect(await askedIn(1, () => look(1))).toBe(1)
    expect(looks).toBe(1)
  })

  test('is waited for until the agent answers', async () => {
    const { agent, asked } = playedAgent([{ exited: true, exitcode: 0 }])
    let tries = 0
    const talk: AgentTalk['talk'] = async (work) => {
      tries += 1
      if (tries < 4) throw new UnansweredError('Nobody')
      return work(agent)
    }
    await dropIdentity({ talk }, signal)
    expect(tries).toBe(4)
    expect(asked[0]).toMatchObject({ args: { path: '/usr/lib/slipway/drop-identity', arg: [] } })
  })

  test.each([
    [{ exited: true, exitcode: 1 }, { pid: 7 }],
    [{ exited: true, signal: 9 }, { pid: 7 }],
    [{ exited: true, exitcode: '0' }, { pid: 7 }],
    [{ exited: true, exitcode: 0 }, { pid: 'seven' }],
    [{ exited: true, exitcode: 0 }, null],
  ])('does not count as renewed where the guest answers %j to %j', async (state, begun) => {
    const { agent } = playedAgent([state], begun)
    await expect(renewIdentity(talkTo(agent), who, signal)).rejects.toThrow(GuestProgramError)
  })

  test('is not tried again where the agent fails in the middle of it', async () => {
    const talk = () => Promise.reject(new Error('The guest agent refused'))
    await expect(renewIdentity({ talk }, who, signal)).rejects.toThrow('refused')
  })

  test.each([
    ['nobody answers', () => Promise.reject(new UnansweredError('Nobody'))],
    ['the program does not end', talkTo(playedAgent([]).agent).talk],
  ] as const)('is given up when that is told, although %s', async (_, talk) => {
    const giveUp = new AbortController()
    const work = renewIdentity({ talk: talk as AgentTalk['talk'] }, who, giveUp.signal)
    giveUp.abort()
    await expect(work).rejects.toThrow(/abort/i)
  })
})
