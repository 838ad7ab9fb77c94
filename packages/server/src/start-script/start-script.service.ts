import {
  messages,
  type StartScript,
  type StartScriptForm,
  startScriptForm,
  startScriptTexts,
} from '@slipway/contract'
import type { Tx } from '../db/open.ts'
import { isoTime } from '../lib/clock.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { StartScriptEnd, StartScriptRepo } from './start-script.repo.ts'
import { isMapping } from './start-script.yaml.ts'

export type StartScriptService = ReturnType<typeof makeStartScriptService>

/** What the guest of a machine says of its start script; see the engine port. */
export type ScriptResult =
  | { state: 'waiting' }
  | { state: 'running'; output: string }
  | {
      state: 'ended'
      how: 'succeeded' | 'failed' | 'interrupted'
      exitCode: number | null
      endedAt: number | null
      output: string
    }
  | { state: 'unknown'; reason: string }

/** Revisions of a group that belong together; `before` is null where there is no end. */
export interface RevisionSpan {
  from: number
  before: number | null
}

/** What a roll-out does to the start script of a group. */
export interface ScriptChange {
  /** In a few words; null: nothing. */
  what: string | null
  /** The revisions whose members run what those of the new one will. */
  alike: RevisionSpan[]
  /** Call it with the new revision once the members are renewed. */
  store: (revision: number) => Promise<void>
}

export function makeStartScriptService(options: {
  repo: StartScriptRepo
  /** Whether guests of a boot image are set up by cloud-init. */
  hasCloudInit: (imageId: string) => boolean
  resultOf: (vmId: string, form: StartScriptForm) => Promise<ScriptResult>
}) {
  const { repo } = options
  const none = { message: null, exit_code: null, finished_at: null, output: '' }

  /** Refuses what no guest of that image could run; `noCloudInit` says so where it is for want of cloud-init. */
  function requireFitting(
    script: string,
    imageId: string,
    noCloudInit: string = startScriptTexts.noCloudInit,
  ): void {
    if (startScriptForm(script) !== 'cloud-config') return
    if (!isMapping(script)) throw refuse('start_script', startScriptTexts.notMapping)
    if (!options.hasCloudInit(imageId)) throw refuse('start_script', noCloudInit)
  }

  return {
    requireFitting,

    /**
     * For the VM service: checks the start script of a VM that is being created. What it answers is for the transaction
     * that stores the VM.
     */
    forNewVm(vm: { id: string; imageId: string }, script: string | null): (tx: Tx) => Promise<void> {
      if (script === null) return async () => {}
      requireFitting(script, vm.imageId)
      return (tx) => repo.add(tx, vm.id, script)
    },

    /** The same for a group, whose members all run it. */
    forNewGroup(group: { id: string; imageId: string }, script: string | null): (tx: Tx) => Promise<void> {
      if (script === null) return async () => {}
      requireFitting(script, group.imageId)
      return (tx) => repo.addToGroup(tx, group.id, 1, script)
    },

    /**
     * For a roll-out, within its transaction: what its members run from now on. Refuses what no guest of that image could
     * run, at the field that asks for it.
     *
     * @param wanted undefined: what they run now; null: nothing
     */
    async forRollOut(
      tx: Tx,
      group: { id: string; imageId: string; revision: number },
      wanted: string | null | undefined,
    ): Promise<ScriptChange> {
      const stored = await repo.scriptsOfGroup(tx, group.id)
      const before = stored.at(-1)?.script ?? null
      const script = wanted === undefined ? before : wanted
      if (script !== null && wanted !== undefined) requireFitting(script, group.imageId)
      else if (
        script !== null &&
        startScriptForm(script) === 'cloud-config' &&
        !options.hasCloudInit(group.imageId)
      )
        throw refuse('template_id', startScriptTexts.noCloudInit)
      const spans = [{ revision: 0, script: null }, ...stored].map((one, at, all) => ({
        from: one.revision,
        before: all[at + 1]?.revision ?? null,
        script: one.script,
      }))
      return {
        what: script === before ? null : changeOf(before, script),
        alike: spans.filter((span) => span.script === script),
        async store(revision) {
          if (script !== before) await repo.addToGroup(tx, group.id, revision, script)
          await repo.dropUnused(tx, group.id, group.revision)
        },
      }
    },

    /** What the reconciler hands to the engine with a new VM. */
    scriptOf: repo.scriptOf,

    /** As it is now: a guest is asked while it lives, until the end of its script is known. */
    async get(projectId: string, vmId: string): Promise<StartScript> {
      const vm = await repo.find(projectId, vmId)
      if (!vm) throw new Problem(404, messages.vmNotFound)
      const { script, message, exit_code, finished_at, output } = vm
      if (script === null) return { script, state: 'none', ...none }
      const known = { message, exit_code, finished_at, output: output ?? '' }
      const isLiving = vm.seen_power === 'ready' || vm.seen_power === 'booting'
      const isOver = vm.state === 'succeeded' || vm.state === 'failed'
      // Without a root disk that lasts it runs at every start.
      if (isOver && (vm.persistent === 1 || !isLiving))
        return { script, state: vm.state ?? 'unknown', ...known }
      if (!isLiving) {
        if (vm.provisioned === 0) return { script, state: 'waiting', ...none }
        return { script, state: 'unknown', ...none, message: notRunning }
      }
      if (vm.seen_power === 'booting') return { script, state: 'waiting', ...none }
      const form = startScriptForm(script) ?? 'program'
      const result = await options.resultOf(vmId, form)
      if (result.state === 'waiting') return { script, state: 'waiting', ...none }
      if (result.state === 'running') return { script, state: 'running', ...none, output: result.output }
      if (result.state === 'unknown') return { script, state: 'unknown', ...none, message: result.reason }
      const end = endOf(result)
      await repo.storeEnd(vmId, end)
      return { script, ...end }
    },
  }
}

const changeOf = (before: string | null, after: string | null): string =>
  after === null ? 'no start script' : before === null ? 'a start script' : 'another start script'

const notRunning = 'Start the VM to read the result from its guest.'

function endOf({
  how,
  exitCode,
  endedAt,
  output,
}: Extract<ScriptResult, { state: 'ended' }>): StartScriptEnd {
  return {
    state: how === 'succeeded' ? 'succeeded' : 'failed',
    message: how === 'interrupted' ? 'The guest stopped or restarted before the script ended.' : null,
    exit_code: exitCode,
    finished_at: endedAt === null ? null : isoTime(endedAt),
    // A database takes no null characters.
    output: output.replaceAll('\0', ''),
  }
}
