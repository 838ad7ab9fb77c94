import type { Engine, MachineKeys } from '../engine.ts'
import { keyBody } from '../seed.ts'
import { UnansweredError } from './agent.ts'
import { type Agent, AgentRefusal } from './agent-line.ts'
import type { Guests } from './guests.ts'
import { isRecord } from './lines.ts'
import { isMachineId, type MachineDirs } from './machine-dir.ts'

const ASK_MS = 3000
const USER = { username: 'root' }

/**
 * Lets root in by these keys and no longer by the former ones; other keys stay. False when the agent cannot, or must not.
 * Commands: QEMU guest agent reference, "guest-ssh-get-authorized-keys" and those beside it.
 */
export async function giveKeys(
  agent: Agent,
  { sshPublicKeys, formerSshPublicKeys = [] }: MachineKeys,
): Promise<boolean> {
  const wanted = sshPublicKeys.map((key) => key.trim()).filter(Boolean)
  const before = await linesIn(agent)
  // There is no file yet, or the agent must not read it.
  if (before === null)
    return (await change(agent, 'guest-ssh-add-authorized-keys', wanted)) && (await linesIn(agent)) !== null
  const has = new Set(before.map(keyBody))
  const former = new Set(formerSshPublicKeys.map(keyBody))
  const missing = wanted.filter((key) => !has.has(keyBody(key)))
  const gone = before.filter((line) => former.has(keyBody(line)))
  // Added first, so that somebody gets in whatever comes between.
  return (
    (await change(agent, 'guest-ssh-add-authorized-keys', missing)) &&
    (await change(agent, 'guest-ssh-remove-authorized-keys', gone))
  )
}

async function change(agent: Agent, command: string, keys: string[]): Promise<boolean> {
  if (keys.length === 0) return true
  return orRefused(
    agent.execute(command, { ...USER, keys }, ASK_MS).then(() => true),
    false,
  )
}

/** Null where the agent refuses, as it does while there is no such file. */
async function linesIn(agent: Agent): Promise<string[] | null> {
  const answer = await orRefused(agent.execute('guest-ssh-get-authorized-keys', USER, ASK_MS), null)
  if (!isRecord(answer) || !Array.isArray(answer.keys)) return null
  return answer.keys.filter((key) => typeof key === 'string')
}

const orRefused = <T, R>(asked: Promise<T>, refused: R): Promise<T | R> =>
  asked.catch((error: unknown) => {
    if (error instanceof AgentRefusal) return refused
    throw error
  })

/** Gives living guests of this host their SSH keys. */
export function makeGuestKeys({
  dirs,
  guests,
}: {
  dirs: Pick<MachineDirs, 'requireRecord'>
  guests: Pick<Guests, 'of'>
}): Pick<Engine, 'changeKeys'> {
  return {
    async changeKeys(machineId, keys) {
      const guest = isMachineId(machineId) ? await guests.of(machineId) : null
      if (!guest) return 'next-start'
      try {
        if (await guest.agent.talk((agent) => giveKeys(agent, keys))) return 'taken'
      } catch (error) {
        if (!(error instanceof UnansweredError)) throw error
        if (await guest.agent.isThere()) throw error
      }
      const { spec, image } = await dirs.requireRecord(machineId)
      const began = !guest.run.resumed && spec.sshPublicKeys.join('\n') === keys.sshPublicKeys.join('\n')
      // cloud-init reads the seed at every boot, and our own images take keys from it with their root disk.
      if (image.kernel === undefined || !spec.persistent) return began ? 'taken' : 'next-start'
      return 'by-hand'
    },
  }
}
