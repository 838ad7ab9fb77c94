import { ensureNpmPackages } from './npm-packages.mjs'
import { ensureStarterImage } from './starter-image.mjs'
import { enginePackages, ensureSystemPackages } from './system-packages.mjs'
import { ensureWebBuild } from './web-build.mjs'

/** Everything between a fresh clone and a server that can start. What is done already costs next to nothing. */
export async function prepare({ morePackages = [] } = {}) {
  await ensureNpmPackages()
  await ensureSystemPackages([...enginePackages(), ...morePackages])
  await ensureWebBuild()
  await ensureStarterImage()
}
