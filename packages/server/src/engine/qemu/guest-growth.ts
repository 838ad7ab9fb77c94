/** Lets a living guest make use of a root disk that has become larger. */
import type { AgentTalk } from './agent.ts'
import { runScript } from './warm/identity.ts'

/** So long the guest has for it. Its agent may come some seconds after it answers by SSH. */
const PATIENCE_MS = 20_000

/**
 * Finds what the root file system is on, and makes its partition, if there is one, and it as large as they can be. It ends with an
 * error where that is nothing that it knows, such as LVM. growpart says 1 where nothing is to be done.
 */
export const growthScript = `set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
number=
while read -r _ _ device _ where rest; do
  if [ "$where" = / ]; then
    number=$device
    kind=\${rest#* - }
  fi
done < /proc/self/mountinfo
at=$(cd -P "/sys/dev/block/$number" && pwd -P)
disk=/dev/\${at##*/}
if [ -e "$at/partition" ]; then
  whole=\${at%/*}
  read -r part < "$at/partition"
  growpart "/dev/\${whole##*/}" "$part" || [ $? = 1 ]
fi
case $kind in
  'ext'[234]' '*) resize2fs "$disk" ;;
  'xfs '*) xfs_growfs / ;;
  *) exit 2 ;;
esac
`

/** Whether the root file system of a guest is as large as its disk now. Without an agent, or the programs it takes, it is not. */
export const growInGuest = (agent: AgentTalk): Promise<boolean> =>
  runScript(agent, growthScript, AbortSignal.timeout(PATIENCE_MS)).then(
    () => true,
    () => false,
  )
