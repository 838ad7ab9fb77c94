import { existsSync, readFileSync } from 'node:fs'
import { hasCommand, run, Stop, say } from './run.mjs'
import { engine, inTree } from './tree.mjs'

/** @typedef {{ command: string, package: string, why: string, optional?: boolean }} SystemPackage */

/** @type {SystemPackage} */
export const chromium = {
  command: 'chromium-headless-shell',
  package: 'chromium-headless-shell',
  why: 'the browser of the end-to-end tests, Chromium without the windows of a desktop',
}

/** @type {SystemPackage} */
export const firefox = {
  command: 'firefox-esr',
  package: 'firefox-esr',
  why: 'the second browser of the end-to-end tests, for a smoke run',
}

/**
 * What the tests of container images need. Installing it starts a registry as a service of the machine, so it is for
 * machines that are there for tests alone. @type {SystemPackage[]}
 */
export const containerTools = [
  { command: 'docker-registry', package: 'docker-registry', why: 'the registry that tests pull images from' },
  { command: 'skopeo', package: 'skopeo', why: 'puts the images of tests into that registry' },
  { command: 'umoci', package: 'umoci', why: 'unpacks container images that disks are made of' },
]

/** What the tests of backups outside the host need. @type {SystemPackage[]} */
export const backupTools = [
  { command: 'restic', package: 'restic', why: 'keeps the backups of tests' },
  { command: 'openssl', package: 'openssl', why: 'makes the certificate of the S3 server of tests' },
]

/** What the tests of the rules that keep guests from this host need. @type {SystemPackage[]} */
export const firewallTools = [
  { command: 'nft', package: 'nftables', why: 'puts in force what keeps guests away from this host' },
  { command: 'ip', package: 'iproute2', why: 'gives the networks of tests their addresses' },
  { command: 'dnsmasq', package: 'dnsmasq-base', why: 'gives VMs their addresses and names' },
]

/** What networks of projects take in addition where the server is not root. @type {SystemPackage} */
export const wayOutOfUsers = {
  command: 'pasta',
  package: 'passt',
  why: 'leads VMs to the Internet where the server does not run as root',
}

/** @type {SystemPackage} */
export const postgresql = {
  command: 'pg_ctlcluster',
  package: 'postgresql',
  why: 'the second database of the tests; they start one of their own in a temporary directory',
}

/** What boot images for a cluster take, and the tests that make one. @type {SystemPackage[]} */
export const bootLoaderTools = [
  { command: 'grub-mkimage', package: 'grub-common', why: 'makes the boot loader of images for a cluster' },
  { command: '/usr/lib/grub/i386-pc/boot.img', package: 'grub-pc-bin', why: 'is what that is made of' },
]

/**
 * What the QEMU engine needs from the operating system, and whoever builds boot images. What is for root only is optional
 * for everybody else. @returns {SystemPackage[]}
 */
export function qemuPackages() {
  const list = inTree('packages/server/src/engine/qemu/system-packages.json')
  const isRoot = process.getuid?.() === 0
  return (existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []).map(({ rootOnly, ...one }) =>
    rootOnly && !isRoot ? { ...one, optional: true } : one,
  )
}

/** What the engine of the settings needs. @returns {SystemPackage[]} */
export const enginePackages = () => (engine() === 'qemu' ? qemuPackages() : [])

/** Whether this machine lacks the command that a package brings. @param {SystemPackage} one */
export const isMissing = (one) => !hasCommand(one.command)

/**
 * Installs what is missing where we may, else stops and says how. What is optional comes along, but its lack alone
 * is no reason to act: a machine may be without it on purpose. @param {SystemPackage[]} packages
 */
export async function ensureSystemPackages(packages) {
  const missing = packages.filter(isMissing)
  const needed = missing.filter((one) => !one.optional)
  if (needed.length === 0) return
  const asRoot = hasCommand('apt-get') ? await wayToRoot() : null
  if (!asRoot) {
    throw new Stop(
      `Debian packages: missing here\n${tableOf(needed)}\nInstall them and start again:\n  ${installCommand(needed)}`,
    )
  }
  say(`Debian packages: installing what is missing …\n${tableOf(missing)}`)
  const aptGet = (...args) =>
    run('env', [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args], {
      quiet: true,
    })
  const install = () => aptGet('install', '-y', '--no-install-recommends', ...namesOf(missing))
  // The first try fails where the package lists are absent or stale; only then is their download worth the time.
  let attempt = await install()
  if (attempt.code !== 0) {
    await aptGet('update')
    attempt = await install()
  }
  const still = needed.filter(isMissing)
  if (still.length > 0) {
    throw new Stop(
      `${attempt.output}\nDebian packages: apt-get failed. Try it yourself:\n  ${installCommand(still)}`,
    )
  }
}

/**
 * Installs what is missing where we may. What cannot be had is said and nothing more: the tests that need it are
 * skipped, loudly. @param {SystemPackage[]} packages
 */
export async function trySystemPackages(packages) {
  try {
    await ensureSystemPackages(packages)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    say(`${error.message}\nGoing on without: ${namesOf(packages.filter(isMissing)).join(', ')}`)
  }
}

/** What to put before a command so that root runs it; null where that needs a password. */
async function wayToRoot() {
  if (process.getuid?.() === 0) return []
  const { code } = await run('sudo', ['-n', 'true'], { quiet: true })
  return code === 0 ? ['sudo', '-n'] : null
}

/** The command a person types. @param {SystemPackage[]} packages */
export const installCommand = (packages) =>
  `sudo apt-get update && sudo apt-get install --no-install-recommends ${namesOf(packages).join(' ')}`

const namesOf = (packages) => [...new Set(packages.map((one) => one.package))]

const tableOf = (packages) => packages.map((one) => `  ${one.package.padEnd(24)} ${one.why}`).join('\n')
