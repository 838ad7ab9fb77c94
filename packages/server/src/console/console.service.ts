import type { Duplex } from 'node:stream'
import { consoleCloses, type Limits, screenAllowed, type User, type Vm, vmCan } from '@slipway/contract'
import type { Engine, MachineConsole } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem, require422 } from '../lib/problem.ts'
import type { Uses } from '../lib/uses.ts'
import { type ConsoleSession, makeConsoleSession, type Viewer, type ViewerLine } from './console.session.ts'

export interface ConsoleServiceOptions {
  engine: Pick<Engine, 'openConsole' | 'openScreen' | 'hasScreen'>
  /** What the engine cannot do. */
  cannot: Limits
  /** The VM, if it is of the project; else a 404. */
  ownVm: (projectId: string, vmId: string) => Promise<Vm>
  /** Writes down that somebody looks into a VM, once for a visit: reloads and more windows are one. */
  onOpened: (user: User, vm: Vm, what: Looked) => Promise<void>
  uses: Pick<Uses, 'begin'>
  clock: Clock
}

/** What somebody looks at: what a VM prints, its screen, or what it printed as a file. */
export type Looked = 'console' | 'screen' | 'consoleLog'

export type ConsoleService = ReturnType<typeof makeConsoleService>

const pieceBytes = 256 * 1024
/** How often the status of a VM is read while somebody looks at its console and no guest runs. */
const awaitedEveryMs = 1_000

/** One session for each machine that is looked at, whoever looks. */
export function makeConsoleService({ engine, cannot, ownVm, onOpened, uses, clock }: ConsoleServiceOptions) {
  const open = new Set<ConsoleSession>()
  const sessions = new Map<string, Promise<ConsoleSession | null>>()

  function sessionOf(vmId: string): Promise<ConsoleSession | null> {
    const begun = sessions.get(vmId)
    if (begun !== undefined) return begun
    const opening = (async () => {
      const terminal = await engine.openConsole(vmId)
      if (!terminal) return null
      const screen = await engine.hasScreen(vmId)
      const session = makeConsoleSession(terminal, {
        screen,
        onEmpty() {
          open.delete(session)
          forget()
        },
      })
      open.add(session)
      return session
    })()
    const forget = () => {
      if (sessions.get(vmId) === opening) sessions.delete(vmId)
    }
    sessions.set(vmId, opening)
    opening.then((session) => session ?? forget(), forget)
    return opening
  }

  async function ownLivingVm(projectId: string, vmId: string): Promise<Vm> {
    const vm = await ownVm(projectId, vmId)
    const allowed = vmCan.console(vm)
    if (allowed !== true) throw new Problem(409, allowed)
    return vm
  }

  /** A guest that never comes ends nothing, so the status of the VM says when there is nothing to wait for. */
  function whileAwaited(projectId: string, vmId: string, viewer: Viewer): void {
    async function look(): Promise<void> {
      const isOver = await ownLivingVm(projectId, vmId).then(
        () => false,
        (error: unknown) => error instanceof Problem,
      )
      if (isOver && viewer.awaitsGuest()) viewer.end()
      else whileAwaited(projectId, vmId, viewer)
    }
    if (viewer.awaitsGuest()) clock.after(awaitedEveryMs, () => void look())
  }

  return {
    /**
     * Lets a user look into a VM. Throws before anything is opened when that is not allowed or not possible.
     *
     * @returns how to begin, once there is a line
     */
    async open(user: User, projectId: string, vmId: string, from: number | undefined) {
      const vm = await ownLivingVm(projectId, vmId)
      await onOpened(user, vm, 'console')
      return async (line: ViewerLine): Promise<Viewer | null> => {
        const session = await sessionOf(vm.id).catch(() => null)
        if (!session) line.close(consoleCloses.away, 'The VM has not started yet')
        else if (session.isFull()) line.close(consoleCloses.full, 'Too many viewers on this console')
        else {
          const viewer = session.join(user.name, from, line)
          whileAwaited(projectId, vm.id, viewer)
          const end = uses.begin(vm.id)
          return {
            ...viewer,
            leave() {
              end()
              viewer.leave()
            },
          }
        }
        return null
      }
    },

    /** A line to the screen of a VM. */
    async openScreen(user: User, projectId: string, vmId: string): Promise<Duplex> {
      require422(screenAllowed(cannot))
      const vm = await ownLivingVm(projectId, vmId)
      const screen = await engine.openScreen(vm.id)
      if (!screen) throw new Problem(409, 'This VM has no screen')
      // It may break before anybody looks.
      screen.on('error', () => screen.destroy())
      screen.once('close', uses.begin(vm.id))
      try {
        await onOpened(user, vm, 'screen')
      } catch (error) {
        screen.destroy()
        throw error
      }
      return screen
    },

    /** Everything that is kept of what a VM printed; notes stand in lines of their own. */
    async log(user: User, projectId: string, vmId: string) {
      const vm = await ownVm(projectId, vmId)
      await onOpened(user, vm, 'consoleLog')
      const terminal = await engine.openConsole(vm.id)
      return { name: vm.name, bytes: terminal ? everything(terminal) : none() }
    },

    /** Throws a 404 when the VM is not of the project. */
    own: ownVm,

    /** How many windows show a console now. */
    viewers: () => [...open].reduce((sum, session) => sum + session.count(), 0),

    /** Sends everybody away; the server closes. */
    async close(): Promise<void> {
      await Promise.allSettled(sessions.values())
      for (const session of [...open]) session.end(consoleCloses.away, 'The server is shutting down')
    },
  }
}

async function* everything(terminal: MachineConsole): AsyncGenerator<Buffer> {
  try {
    const { first, end } = terminal.extent()
    for (let at = first; at < end; ) {
      const bytes = await terminal.read(at, Math.min(pieceBytes, end - at))
      if (bytes.length === 0) return
      at += bytes.length
      yield bytes
    }
  } finally {
    terminal.close()
  }
}

async function* none(): AsyncGenerator<Buffer> {}
