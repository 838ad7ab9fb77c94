import { describe, expect, test } from 'vitest'
import { type Agent, type AgentTalk, UnansweredError } from '../agent.ts'
import { dropIdentity, GuestProgramError, renewIdentity } from './identity.ts'

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

describe('The identity of a guest', () => {
  test('is renewed by a program with the MAC, the time and random numbers, each time others', async () => {
    const { agent, asked } = playedAgent([
      { exited: false },
      { exited: true, exitcode: 0 },
      { exited: true, exitcode: 0 },
    ])
    await renewIdentity(talkTo(agent), '52:54:00:00:00:07', signal)
    await renewIdentity(talkTo(agent), null, signal)
    const runs = asked.filter(({ command }) => command === 'guest-exec').map(({ args }) => args)
    expect(runs).toMatchObject([
      {
        path: '/usr/lib/slipway/renew-identity',
        arg: ['52:54:00:00:00:07', expect.stringMatching(/^\d{10}$/)],
      },
      { path: '/usr/lib/slipway/renew-identity', arg: ['-', expect.stringMatching(/^\d{10}$/)] },
    ])
    const [one, other] = runs.map((args) => Buffer.from(String(args['input-data']), 'base64'))
    expect(one).toHaveLength(64)
    expect(one).not.toEqual(other)
    expect(asked.filter(({ command }) => command === 'guest-exec-status')[0]?.args).toEqual({ pid: 7 })
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
    await expect(renewIdentity(talkTo(agent), null, signal)).rejects.toThrow(GuestProgramError)
  })

  test('is not tried again where the agent fails in the middle of it', async () => {
    const talk = () => Promise.reject(new Error('The guest agent refused'))
    await expect(renewIdentity({ talk }, null, signal)).rejects.toThrow('refused')
  })

  test.each([
    ['nobody answers', () => Promise.reject(new UnansweredError('Nobody'))],
    ['the program does not end', talkTo(playedAgent([]).agent).talk],
  ] as const)('is given up when that is told, although %s', async (_, talk) => {
    const giveUp = new AbortController()
    const work = renewIdentity({ talk: talk as AgentTalk['talk'] }, null, giveUp.signal)
    giveUp.abort()
    await expect(work).rejects.toThrow(/abort/i)
  })
})
