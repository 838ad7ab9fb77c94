import { rm } from 'node:fs/promises'
import { newId } from '../../../lib/id.ts'
import { writeDurably } from '../durable.ts'
import type { HostFacts } from '../host-facts.ts'
import { fileNames, type MachineDirs } from '../machine-dir.ts'
import type { Plug } from '../network/plug.ts'
import { ownMb } from '../process.ts'
import type { Qmp } from '../qmp.ts'
import { saidReady } from '../readiness.ts'
import type { RunRecord } from '../records.ts'
import { copyRoot } from './clone.ts'
import { forPrintf, makeHostKey } from './host-key.ts'
import type { Combination } from './maker.ts'
import { launchNobody } from './nobody.ts'
import type { Frozen } from './store.ts'

/** A guest of the reserve: it went on from a frozen one, stands still, and belongs to nobody yet. */
export interface ReservedGuest {
  /** The id of the machine that it will be. */
  id: string
  pid: number
  run: RunRecord
  qmp: Qmp
  /** What it holds of the host's memory, in MiB. */
  heldMb: number
  /** Ends its process. */
  end(): Promise<void>
}

/**
 * Makes one in the directory `<dirs>/<id>/`. Before it stands still it becomes somebody once, somebody signs in, and it drops
 * all of that again: what a guest does for the first time takes several times as long where guests run in software.
 */
export async function makeReservedGuest(
  what: Combination,
  frozen: Frozen,
  deps: {
    dirs: MachineDirs
    host: HostFacts
    plugFor: (machineId: string) => Promise<Plug>
    entry: () => readonly string[]
  },
  signal: AbortSignal,
): Promise<ReservedGuest> {
  const { dirs, host } = deps
  const id = newId()
  await dirs.create(id)
  try {
    await copyRoot(frozen.root, dirs.fileOf(id, fileNames.root))
    const plug = await deps.plugFor(id)
    const guest = await launchNobody({ id, ...what }, frozen, { dirs, host }, { plug, entry: deps.entry() })
    try {
      await guest.load(signal)
      const key = makeHostKey('rehearsal')
      await guest.renew(signal, [key.public])
      await guest.runScript(signInScript(key), signal)
      await guest.drop(signal)
      await guest.qmp.execute('stop')
      // What it said of itself then is not true of who it will be.
      await saidReady(guest.qmp)
      await writeDurably(dirs.fileOf(id, fileNames.reserved), guest.run.run)
      const heldMb = await ownMb(guest.pid)
      return { id, pid: guest.pid, run: guest.run, qmp: guest.qmp, heldMb, end: guest.end }
    } catch (error) {
      await guest.end()
      throw error
    }
  } catch (error) {
    await rm(dirs.pathOf(id), { recursive: true, force: true })
    throw error
  }
}

/**
 * Signs in from inside, as the host cannot reach the guest, and leaves no trace of it. What `renew-identity` has left to be
 * done a little later ends with its `sleep`.
 */
const signInScript = ({ dropbear, openssh }: ReturnType<typeof makeHostKey>): string => `
export PATH=/sbin:/usr/sbin:/bin:/usr/bin HOME=/root
umask 077
cd /run
for log in /var/log/wtmp /var/log/lastlog; do [ ! -e $log ] || cp -p $log /run/before-\${log##*/}; done
if command -v dbclient > /dev/null; then
  printf %b '${forPrintf(dropbear)}' > /run/rehearsal
  dbclient -y -y -i /run/rehearsal root@127.0.0.1 true < /dev/null
else
  printf %s '${openssh}' > /run/rehearsal
  ssh -i /run/rehearsal -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null root@127.0.0.1 true < /dev/null
fi
signed_in=$?
for log in /var/log/wtmp /var/log/lastlog; do [ ! -e $log ] || mv /run/before-\${log##*/} $log; done
rm -f /run/rehearsal
for process in /proc/[0-9]*; do
  read -r name < $process/comm && [ "$name" != sleep ] || kill \${process##*/}
done 2> /dev/null
exit $signed_in
`
