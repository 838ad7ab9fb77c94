/**
 * `npm run bench [-- part ...]`: what Slipway's speed claims stand on. Exit code 1 when a goal is missed. `--quick` takes
 * small sizes where a part has them, to see that it works; its figures say nothing.
 */
import { benchApi, benchApiOnPostgres } from './api.ts'
import { benchBackup } from './backup.ts'
import { benchBatches } from './batches.ts'
import { benchCli } from './cli.ts'
import { benchConsole } from './console.ts'
import { benchBaseToSsh, benchStarterToSsh } from './create-to-ssh.ts'
import { benchFairShare } from './fair-share.ts'
import { benchGateway } from './gateway.ts'
import { benchGroups, benchSetOfFive } from './groups.ts'
import { benchGrowth } from './growth.ts'
import { benchImages } from './images.ts'
import { benchKubevirt } from './kubevirt.ts'
import { benchNetwork } from './network.ts'
import { benchNetworks } from './networks.ts'
import { benchPageWeight } from './page-weight.ts'
import { benchProjectFile } from './project-file.ts'
import { benchSampling } from './sampling.ts'
import { benchServers } from './servers.ts'
import { benchShare } from './share.ts'
import { benchSnapshotChain } from './snapshot-chain.ts'
import { benchStorage } from './storage.ts'
import { benchTabs } from './tabs.ts'
import { benchUnderSiege } from './under-siege.ts'
import { benchVmList } from './vm-list.ts'
import { benchWarm, benchWarmDebian, benchWarmUnderLoad } from './warm.ts'

const parts: Record<string, () => Promise<boolean>> = {
  'page-weight': benchPageWeight,
  api: benchApi,
  'api-on-postgres': benchApiOnPostgres,
  batches: benchBatches,
  servers: benchServers,
  'vm-list': benchVmList,
  tabs: benchTabs,
  'create-to-ssh': benchStarterToSsh,
  'base-to-ssh': benchBaseToSsh,
  warm: benchWarm,
  'warm-under-load': benchWarmUnderLoad,
  'warm-debian': benchWarmDebian,
  gateway: benchGateway,
  share: benchShare,
  network: benchNetwork,
  networks: benchNetworks,
  images: benchImages,
  console: benchConsole,
  cli: benchCli,
  'project-file': benchProjectFile,
  sampling: benchSampling,
  kubevirt: benchKubevirt,
  storage: benchStorage,
  'snapshot-chain': benchSnapshotChain,
  backup: benchBackup,
  growth: benchGrowth,
  'set-of-five': benchSetOfFive,
  groups: benchGroups,
  'under-siege': benchUnderSiege,
  'fair-share': benchFairShare,
}

const chosen = process.argv.slice(2).filter((word) => word !== '--quick')
const unknown = chosen.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}
let met = true
for (const [name, part] of Object.entries(parts)) {
  if (chosen.length === 0 || chosen.includes(name)) met = (await part()) && met
}
process.exitCode = met ? 0 : 1
