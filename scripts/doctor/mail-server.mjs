import net from 'node:net'
import tls from 'node:tls'

const answerWithinMs = 5_000

/**
 * What the mail server of the settings says first: null when it greets, else what is wrong, for a person. Whether it takes mails is known
 * once one is sent.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<{ host: string, problem: string | null } | null>} null: none is set
 */
export async function askMailServer(environment) {
  const text = environment.SLIPWAY_SMTP_URL?.trim()
  // What is no URL the server's own reader refuses.
  if (!text || !URL.canParse(text)) return null
  const { protocol, hostname, port: named } = new URL(text)
  const isSecure = protocol === 'smtps:'
  const port = Number(named) || (isSecure ? 465 : 587)
  const host = `${hostname}:${port}`
  const problem = await greeting(isSecure, hostname.replace(/^\[|\]$/g, ''), port).then(
    (first) => (first.startsWith('220') ? null : `${host} greets with "${first.slice(0, 100)}"`),
    (error) => `${host} does not respond: ${error.message}`,
  )
  return { host, problem }
}

/** @returns {Promise<string>} the first line that it says */
function greeting(isSecure, host, port) {
  return new Promise((resolve, reject) => {
    const socket = isSecure
      ? tls.connect({ host, port, ...(!net.isIP(host) && { servername: host }) })
      : net.connect({ host, port })
    let said = ''
    const end = (settle) => {
      socket.destroy()
      settle()
    }
    socket.setEncoding('utf8')
    socket.setTimeout(answerWithinMs, () =>
      end(() => reject(new Error(`no greeting within ${answerWithinMs / 1000} s`))),
    )
    socket.on('data', (part) => {
      said += part
      if (said.includes('\n') || said.length > 1000) end(() => resolve(said.split(/\r?\n/)[0] ?? ''))
    })
    socket.on('error', (error) => end(() => reject(error)))
    socket.on('end', () => end(() => reject(new Error('it closed the connection'))))
  })
}
