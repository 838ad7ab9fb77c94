import { expect, test } from 'vitest'
import { type Agent, AgentRefusal } from './agent-line.ts'
import { giveKeys } from './guest-keys.ts'

/** An agent of a guest whose root has these keys; null: there is no such file. */
function agentOf(file: { lines: string[] | null }, refuses: readonly string[] = []): Agent {
  return {
    async execute(command, { keys = [] }) {
      const name = /^guest-ssh-(\w+)-authorized-keys$/.exec(command)?.[1] ?? ''
      if (refuses.includes(name)) throw new AgentRefusal('The guest agent refused')
      // Who uses it is typed, and this plays the other side.
      const said = keys as string[]
      if (name === 'add') file.lines = [...(file.lines ?? []), ...said]
      else if (file.lines === null) throw new AgentRefusal('The guest agent refused')
      else if (name === 'remove') file.lines = file.lines.filter((line) => !said.includes(line))
      return name === 'get' ? { keys: file.lines } : {}
    },
    close: () => {},
  }
}

const give = async (lines: string[] | null, keys: Parameters<typeof giveKeys>[1], refuses?: string[]) => {
  const file = { lines }
  const taken = await giveKeys(agentOf(file, refuses), keys)
  return { taken, lines: file.lines }
}
const [a, b, own] = ['ssh-ed25519 AAAA ada@home', 'ssh-ed25519 BBBB', 'ssh-ed25519 CCCC slipway']
const hers = 'ssh-rsa DDDD added by hand'

test('the new key comes, the former one goes whatever its comment, and what the owner added stays', async () => {
  expect(
    await give(['ssh-ed25519 AAAA', own, hers], { sshPublicKeys: [b, own], formerSshPublicKeys: [a] }),
  ).toEqual({ taken: true, lines: [own, hers, b] })
})

test('what is so already is left alone, and no key is there twice', async () => {
  const keys = { sshPublicKeys: [b, own], formerSshPublicKeys: [a] }
  expect(await give([b, own], keys)).toEqual({ taken: true, lines: [b, own] })
})

test('a guest without any key gets the file', async () => {
  expect(await give(null, { sshPublicKeys: [a, own], formerSshPublicKeys: [b] })).toEqual({
    taken: true,
    lines: [a, own],
  })
})

test.each(['get', 'add', 'remove'])('an agent that must not %s keys has not taken them', async (what) => {
  const keys = { sshPublicKeys: [b], formerSshPublicKeys: [a] }
  expect((await give([a], keys, [what])).taken).toBe(false)
})
