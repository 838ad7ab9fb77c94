import { prepare } from './prepare.mjs'
import {
  backupTools,
  bootLoaderTools,
  chromium,
  containerTools,
  firefox,
  firewallTools,
  postgresql,
  trySystemPackages,
  wayOutOfUsers,
} from './system-packages.mjs'

/** What {@link prepare} does, and the packages that tests take. In CI none may be missing but Firefox. */
export async function prepareTests() {
  const browser = process.env.CHROMIUM ? [] : [chromium]
  const inCI = process.env.CI
    ? [...backupTools, ...containerTools, ...bootLoaderTools, ...firewallTools, wayOutOfUsers]
    : []
  await prepare({ morePackages: [...browser, postgresql, ...inCI] })
  if (!process.env.FIREFOX) await trySystemPackages([firefox])
}
