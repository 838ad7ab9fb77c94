/**
 * Carries connections into the namespace that it was started in. Each comes over a socket in its working directory, and
 * begins with a line that says where to: `10.80.0.2 22`. It is answered with a line, `open` or why not, and is from then on
 * the connection. `relay.ts` starts it with the name of the socket.
 */
import { connect, createServer } from 'node:net'
import { join } from '../../../lib/join.ts'

const [, , name = ''] = process.argv
const connectMs = 10_000
const longestLine = 64

const server = createServer({ allowHalfOpen: true }, (caller) => {
  let asked = ''
  caller.on('error', () => caller.destroy())
  caller.setTimeout(connectMs, () => caller.destroy())
  const read = () => {
    for (let one = caller.read(1); one !== null; one = caller.read(1)) {
      if (String(one) !== '\n') {
        asked += one
        if (asked.length > longestLine) return void caller.destroy()
        continue
      }
      caller.off('readable', read)
      return begin()
    }
  }
  function begin(): void {
    const [host = '', port = ''] = asked.split(' ')
    const guest = connect({ host, port: Number(port), allowHalfOpen: true, noDelay: true })
    const fail = (error: NodeJS.ErrnoException) => caller.end(`${error.code ?? 'EIO'}\n`)
    caller.once('close', () => guest.destroy())
    guest.once('error', fail)
    guest.once('connect', () => {
      guest.off('error', fail)
      caller.setTimeout(0)
      caller.write('open\n')
      join(caller, guest)
    })
  }
  caller.on('readable', read)
})
// Ends with the server that started it, however that ends.
process.stdin.resume().on('end', () => process.exit())
server.listen(name, () => console.log('listening'))
