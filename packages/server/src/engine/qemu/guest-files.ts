import { type Agent, AgentRefusal } from './agent-line.ts'
import { isRecord } from './lines.ts'

const ASK_MS = 3000

/**
 * At most so many bytes from the beginning or the end of a file; null when the guest opens no such file for anybody. Throws
 * when its agent does not answer. Commands: QEMU guest agent reference.
 */
export async function readGuestFile(
  agent: Agent,
  path: string,
  part: 'beginning' | 'end',
  bytes: number,
): Promise<Buffer | null> {
  const handle = await orRefused(agent.execute('guest-file-open', { path }, ASK_MS))
  if (typeof handle !== 'number') return null
  try {
    // A file that is shorter has no such place, and is read from its beginning.
    if (part === 'end')
      await orRefused(agent.execute('guest-file-seek', { handle, offset: -bytes, whence: 'end' }, ASK_MS))
    const read = await agent.execute('guest-file-read', { handle, count: bytes }, ASK_MS)
    const content = isRecord(read) ? read['buf-b64'] : null
    return typeof content === 'string' ? Buffer.from(content, 'base64').subarray(0, bytes) : null
  } finally {
    await agent.execute('guest-file-close', { handle }, ASK_MS).catch(() => {})
  }
}

const orRefused = (asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((error: unknown) => {
    if (error instanceof AgentRefusal) return null
    throw error
  })
