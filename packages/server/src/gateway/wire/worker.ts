/** The thread of the gateway: encryption here never holds up the server. Of the database it knows nothing. */
import { parentPort, workerData } from 'node:worker_threads'
import ssh2 from 'ssh2'
import type { Answer, GatewaySettings, Question, ToGateway, ToServer } from '../messages.ts'
import { makeFront } from './front.ts'
import { fingerprintOf, keepKey } from './keys.ts'
import { makeLimits } from './limits.ts'

if (!parentPort) throw new Error('This runs in a thread of the server.')
const port = parentPort
// Made by gateway.thread.ts.
const settings = workerData as GatewaySettings
const say = (message: ToServer) => port.postMessage(message)

/** What went wrong is in the log of the server. */
const noLine = 'The server could not reach it. Try again in a moment.'

const waiting = new Map<number, (answer: Answer) => void>()
let last = 0

function ask(question: Question): Promise<Answer> {
  const id = ++last
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    say({ say: 'question', id, question })
  })
}

try {
  const hostKey = await keepKey(settings.dataDir, 'ssh_host_key', 'slipway')
  const guestKey = await keepKey(settings.dataDir, 'ssh_gateway_key', 'slipway-gateway')
  const front = makeFront({
    hostKey: hostKey.privateKey,
    guestKey,
    limits: makeLimits(),
    desk: {
      isKnown: async (fingerprint) => (await ask({ ask: 'known', fingerprint })) === true,
      async wayOf(caller) {
        const answer = await ask({ ask: 'way', ...caller })
        return typeof answer === 'object' && answer !== null && 'to' in answer ? answer : { to: 'nobody' }
      },
      async lineTo(vmId) {
        const line = await ask({ ask: 'line', vmId })
        return typeof line === 'object' && line !== null && !('to' in line) ? line : { refused: noLine }
      },
      came(visit) {
        const id = ++last
        say({ say: 'came', visit: { ...visit, id } })
        return () => say({ say: 'went', id })
      },
      log: (level, message, about) => say({ say: 'log', level, message, about }),
    },
  })
  port.on('message', (message: ToGateway) => {
    switch (message.say) {
      case 'answer':
        waiting.get(message.id)?.(message.answer)
        waiting.delete(message.id)
        return
      case 'cut':
        return front.cut(message.cut)
      case 'close':
        front.close()
        port.close()
    }
  })
  const listensAt = await front.listen(settings.listen, settings.port)
  const parsed = ssh2.utils.parseKey(hostKey.publicKey)
  if (parsed instanceof Error) throw parsed
  say({
    say: 'ready',
    port: listensAt,
    hostFingerprint: fingerprintOf(parsed.getPublicSSH()),
    publicKey: guestKey.publicKey,
  })
} catch (error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  say({ say: 'failed', code, message: error instanceof Error ? error.message : String(error) })
  port.close()
}
