import { Worker } from 'node:worker_threads'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { Answer, Cut, GatewaySettings, Question, ToGateway, ToServer, Visit } from './messages.ts'

/** What the thread asks and tells. */
export interface GatewayDesk {
  answer(question: Question): Promise<Answer>
  came(visit: Visit): void
  went(visitId: number): void
  /** The thread broke: nobody is in any more. */
  reset(): void
}

/** SSH by name, listening in a thread of its own. */
export interface Gateway {
  readonly host: string | null
  readonly port: number
  /** Only this machine gets there. */
  readonly localOnly: boolean
  /** Of the host key, as `ssh-keygen -lf` prints it. */
  readonly fingerprint: string
  /** By it the gateway gets into guests; a line for `authorized_keys`. */
  readonly publicKey: string
  /** Says who answers; until then callers wait. */
  serve(desk: GatewayDesk): void
  cut(cut: Cut): void
  close(): Promise<void>
}

const restartMs = 1000
/** For the thread to end by itself. */
const patienceMs = 2000

/** Starts the thread. Rejects with a sentence when it cannot listen. */
export async function startGateway(settings: GatewaySettings, log: Log): Promise<Gateway> {
  let desk: GatewayDesk | null = null
  /** What was asked before there was anybody to answer. */
  const early: ((by: GatewayDesk) => void)[] = []
  let closing = false
  let { worker, ready } = await launch(settings)
  const { port } = ready
  watch()

  async function launch(wanted: GatewaySettings) {
    const worker = new Worker(new URL('./wire/worker.ts', import.meta.url), { workerData: wanted })
    const ready = await new Promise<Extract<ToServer, { say: 'ready' }>>((resolve, reject) => {
      worker.on('message', (message: ToServer) => {
        if (message.say === 'ready') resolve(message)
        else if (message.say === 'failed') reject(new Error(whyNot(wanted, message)))
        else listen(worker, message)
      })
      worker.on('error', (error) => {
        log.error({ err: error }, 'the thread of SSH by name broke')
        reject(error)
      })
    })
    return { worker, ready }
  }

  /** Whatever breaks it, people want in again. */
  function watch(): void {
    worker.once('exit', () => {
      desk?.reset()
      later()
    })
  }

  function later(): void {
    if (!closing) setTimeout(relaunch, restartMs).unref()
  }

  function relaunch(): void {
    if (closing) return
    launch({ ...settings, port }).then(
      (next) => {
        ;({ worker, ready } = next)
        watch()
      },
      (error: unknown) => {
        log.error({ err: error }, 'SSH by name could not be started again')
        later()
      },
    )
  }

  function listen(from: Worker, message: ToServer): void {
    const reply = (answer: ToGateway) => from.postMessage(answer)
    switch (message.say) {
      case 'question': {
        const { id, question } = message
        async function answerQuestion(by: GatewayDesk): Promise<void> {
          const found = await by.answer(question).catch((error: unknown) => {
            log.error({ err: error }, 'SSH by name could not look up a key')
            return null
          })
          reply({ say: 'answer', id, answer: found })
        }
        const answer = (by: GatewayDesk) => inBackground(log, 'answering the gateway', answerQuestion(by))
        if (desk) answer(desk)
        else early.push(answer)
        return
      }
      case 'came':
        desk?.came(message.visit)
        return
      case 'went':
        desk?.went(message.id)
        return
      case 'log':
        log[message.level](message.about, message.message)
    }
  }

  return {
    host: settings.host,
    localOnly: settings.localOnly,
    port,
    fingerprint: ready.hostFingerprint,
    publicKey: ready.publicKey,
    serve(next) {
      desk = next
      for (const answer of early.splice(0)) answer(next)
    },
    cut: (cut) => worker.postMessage({ say: 'cut', cut } satisfies ToGateway),
    async close() {
      closing = true
      // It has none once it is over.
      if (worker.threadId === -1) return
      const gone = new Promise((resolve) => worker.once('exit', resolve))
      worker.postMessage({ say: 'close' } satisfies ToGateway)
      const timer = setTimeout(() => void worker.terminate(), patienceMs)
      await gone
      clearTimeout(timer)
    },
  }
}

function whyNot(
  { listen, port }: GatewaySettings,
  { code, message }: Extract<ToServer, { say: 'failed' }>,
): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${listen} is already in use, so SSH by name cannot listen on it. Set SLIPWAY_SSH_PORT to another port, or to off.`
  if (code === 'EACCES')
    return `The server is not permitted to listen on port ${port} of ${listen} for SSH by name. Set SLIPWAY_SSH_PORT to a port above 1023, or to off.`
  if (code === 'EADDRNOTAVAIL')
    return `This host has no address ${listen}, so SSH by name cannot listen on it. Set SLIPWAY_SSH_LISTEN to an address of this host.`
  return `SSH by name could not be started: ${message}`
}
