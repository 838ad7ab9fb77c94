import type { StartScriptForm, StartScriptResult } from '../engine.ts'
import { OUTPUT_BYTES, startScriptFiles } from '../seed-script.ts'
import type { Agent } from './agent-line.ts'
import { readGuestFile } from './guest-files.ts'
import { isRecord, parseMessage } from './lines.ts'

const SMALL_BYTES = 16 * 1024
/** Every guest has it, and lets its agent read it unless it lets it read nothing. */
const READABLE = '/proc/uptime'

/** cloud-init writes them in each boot: when it begins, and when it has ended. cloud-init documentation, "Boot status". */
const cloudInitFiles = {
  status: '/run/cloud-init/status.json',
  result: '/run/cloud-init/result.json',
  output: '/var/log/cloud-init-output.log',
}

/** What the files in a guest say of its start script. */
export async function askForStartScript(agent: Agent, form: StartScriptForm): Promise<StartScriptResult> {
  const files = form === 'program' ? startScriptFiles : cloudInitFiles
  const begun = 'begun' in files ? files.begun : files.status
  const result = await readGuestFile(agent, files.result, 'beginning', SMALL_BYTES)
  if (result === null && (await readGuestFile(agent, begun, 'beginning', SMALL_BYTES)) === null) {
    const canRead = (await readGuestFile(agent, READABLE, 'beginning', SMALL_BYTES)) !== null
    return canRead
      ? { state: 'waiting' }
      : { state: 'unknown', reason: 'The guest agent is not allowed to read files in the guest.' }
  }
  const output = textOf(await readGuestFile(agent, files.output, 'end', OUTPUT_BYTES))
  if (result === null) return { state: 'running', output }
  const end = form === 'program' ? endOfProgram(result.toString()) : endOfCloudInit(result.toString())
  if (end === null) return { state: 'unknown', reason: 'The result in the guest cannot be read.' }
  return { state: 'ended', ...end, output }
}

type End = Omit<Extract<StartScriptResult, { state: 'ended' }>, 'state' | 'output'>

/** The exit code and the time in seconds, as the program in the seed writes them; null when they are none. */
export function endOfProgram(text: string): End | null {
  if (text.trim() === 'interrupted') return { how: 'interrupted', exitCode: null, endedAt: null }
  const [, code, seconds] = /^(\d{1,3}) (\d{1,11})$/.exec(text.trim()) ?? []
  if (code === undefined) return null
  const exitCode = Number(code)
  return { how: exitCode === 0 ? 'succeeded' : 'failed', exitCode, endedAt: Number(seconds) * 1000 }
}

/** Whether cloud-init had errors; null when it does not say. */
export function endOfCloudInit(text: string): End | null {
  const { v1 } = parseMessage(text) ?? {}
  if (!isRecord(v1) || !Array.isArray(v1.errors)) return null
  return { how: v1.errors.length === 0 ? 'succeeded' : 'failed', exitCode: null, endedAt: null }
}

/** The end of a text may begin within a character. */
function textOf(bytes: Buffer | null): string {
  if (bytes === null) return ''
  const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.subarray(Math.min(Math.max(first, 0), 3)).toString()
}
