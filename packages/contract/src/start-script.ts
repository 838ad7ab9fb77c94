import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { startScriptStates } from './start-script.rules.ts'
import { Time } from './text.ts'
import { VmParams } from './vm.ts'

export const StartScript = z.object({
  /** Null where the VM has none. */
  script: z.string().nullable(),
  state: z.enum(startScriptStates).meta({ id: 'StartScriptState' }),
  /** Why the state is what it is, where that needs a word; else null. */
  message: z.string().nullable(),
  /** Null until it has ended, and where the guest reports none. */
  exit_code: z.int().nullable(),
  finished_at: Time.nullable(),
  /** The end of what it printed, at most 64 kB. */
  output: z.string(),
})
export type StartScript = z.infer<typeof StartScript>

export const startScriptApi = {
  get: endpoint('startScript.get', {
    summary: 'The start script of a VM, whether it has run, and the end of its output',
    auth: 'session',
    status: 200,
    params: VmParams,
    response: StartScript,
    errors: { 404: [messages.projectNotFound, messages.vmNotFound] },
  }),
}
