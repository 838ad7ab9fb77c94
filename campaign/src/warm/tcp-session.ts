/** A TCP connection from one VM of a project to another, over which numbers go there and come back. */
import type { Vm } from '@slipway/contract'
import type { Ground } from './ground.ts'

const PORT = 7000
const ECHO = `(nc -ll -p ${PORT} -e cat) >/dev/null 2>&1 </dev/null &`
const COUNT = 'i=0; while :; do i=$((i + 1)); echo $i; sleep 0.3; done'

/** Whether what came back counts on without a gap, as one connection has it; else what is wrong. */
export function gap(numbers: readonly string[]): string | null {
  const at = numbers.findIndex((number, index) => number !== `${index + 1}`)
  return at === -1 ? null : `After ${at} came ${numbers[at]}`
}

/** Has a VM send back what it is sent, for as long as it runs. */
export const answerIn = (ground: Ground, vm: Vm) => ground.ssh(vm, ECHO)

/** Connects `from` to `to` by its name, anew. */
export async function openTcpSession(ground: Ground, from: Vm, to: Pick<Vm, 'name'>) {
  await ground.ssh(
    from,
    `killall nc; rm -f /root/numbers; (${COUNT}) 2>/dev/null | nc ${to.name} ${PORT} > /root/numbers 2>/dev/null & echo`,
  )
  const numbers = async () =>
    (await ground.ssh(from, 'cat /root/numbers 2>/dev/null; true')).split('\n').filter(Boolean)

  return {
    /** Waits until more numbers have come back than before, and says what is wrong with them, or that none came. */
    async goesOn(): Promise<string | null> {
      const before = (await numbers()).length
      return ground
        .until(async () => {
          const now = await numbers()
          if (now.length > before) return { wrong: gap(now) }
          return (await ground.ssh(from, 'pidof nc; true')) === '' ? { wrong: 'The connection ended' } : null
        }, 'answer over TCP')
        .then(({ wrong }) => wrong)
    },
  }
}
