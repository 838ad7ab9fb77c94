/**
 * Somebody who asks for the same again and again over many connections, in a thread of their own, so that reading what comes
 * takes no time from whoever measures beside it. Says how many answers of each status came.
 */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { url, cookie, connections } = workerData as { url: string; cookie: string; connections: number }
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const answers: Record<string, number> = {}
let isOver = false

function ask(): void {
  if (isOver) return
  const sent = request(url, { agent, headers: { cookie } }, (answer) => {
    const { statusCode } = answer
    answer.resume()
    answer.on('close', () => {
      answers[String(statusCode)] = (answers[String(statusCode)] ?? 0) + 1
      ask()
    })
  })
  sent.on('error', () => {
    answers.broken = (answers.broken ?? 0) + 1
    setTimeout(ask, 10)
  })
  sent.end()
}

for (let i = 0; i < connections; i++) ask()
parentPort?.on('message', () => {
  isOver = true
  agent.destroy()
  parentPort?.postMessage(answers)
  parentPort?.close()
})
