import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { availableParallelism, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { node24, versionOf } from '../setup/node24.mjs'
import { isInstalled } from '../setup/npm-packages.mjs'
import { run, Stop } from '../setup/run.mjs'
import {
  enginePackages,
  firewallTools,
  installCommand,
  isMissing,
  wayOutOfUsers,
} from '../setup/system-packages.mjs'
import { dataDir, engine, inTree } from '../setup/tree.mjs'
import { missingBallast, openToOthers } from './data-directory.mjs'
import { askMailServer } from './mail-server.mjs'
import { askProviders } from './sign-in-providers.mjs'

/** @typedef {{ state: 'good' | 'note' | 'bad', name: string, text: string, help?: string }} Finding */

const good = (name, text) => ({ state: 'good', name, text })
const note = (name, text, help) => ({ state: 'note', name, text, help })
const bad = (name, text, help) => ({ state: 'bad', name, text, help })

const inData = (...parts) => join(dataDir(), ...parts)

const gib = (bytes) => `${(bytes / 2 ** 30).toFixed(1)} GiB`

/** Everything there is to say about this machine, in the order in which a start needs it. */
export async function* findings({ tries = false } = {}) {
  yield node()
  yield npmPackages()
  yield* await settings()
  yield* await signInProviders()
  yield* await mailServer()
  yield* privacy()
  yield* await space()
  yield* ballast()
  yield memory()
  if (engine() === 'kubevirt') {
    yield* await cluster(tries)
    return
  }
  yield* await backups()
  if (engine() !== 'qemu') {
    yield note('engine', `SLIPWAY_ENGINE is ${engine()}: the rest is about the QEMU engine and was left out`)
    return
  }
  for (const one of enginePackages()) yield systemPackage(one)
  yield await qemu()
  yield accelerator()
  yield bootImages()
  yield* await orphans()
  yield await guestNetwork()
  yield await port22()
}

/** @returns {Finding} */
function node() {
  try {
    return good('Node', `${versionOf(node24())} runs the server, ${process.version} runs this`)
  } catch (error) {
    if (error instanceof Stop) return bad('Node', error.message, 'npm ci')
    throw error
  }
}

/** @returns {Finding} */
function npmPackages() {
  if (isInstalled()) return good('npm packages', 'as package-lock.json names them')
  return bad('npm packages', 'not installed, or not those of package-lock.json', 'npm ci')
}

/** Lets the server's own reader judge the settings; names what is set and never a value. */
async function settings() {
  const set = Object.keys(process.env).filter(
    (name) => name.startsWith('SLIPWAY_') || name === 'DATABASE_URL',
  )
  const found =
    set.length > 0 ? good('settings', `set: ${set.sort().join(', ')}`) : good('settings', 'none set')
  if (!isInstalled()) return [found]
  const program = `import { readConfig } from '${inTree('packages/server/src/config.ts')}'; console.log(JSON.stringify(readConfig().warnings))`
  const { code, output } = await run(node24(), ['--input-type=module', '-e', program], { quiet: true })
  if (code === 0) {
    const warnings = JSON.parse(output.trim().split('\n').at(-1) ?? '[]')
    return [found, ...warnings.map((/** @type {string} */ warning) => note('settings', warning))]
  }
  const wrong = output.match(/^ {2}\w+: .*$/gm) ?? []
  return [found, ...wrong.map((line) => bad('settings', line.trim()))]
}

/** @returns {Promise<Finding[]>} */
async function signInProviders() {
  return (await askProviders(process.env)).map(({ name, issuer, problem }) =>
    problem === null
      ? good(`sign-in ${name}`, `${issuer} responds`)
      : bad(`sign-in ${name}`, problem, 'nobody can sign in with it until it responds'),
  )
}

/** @returns {Promise<Finding[]>} */
async function mailServer() {
  const asked = await askMailServer(process.env)
  if (asked === null) return []
  return asked.problem === null
    ? [good('mail server', `${asked.host} responds`)]
    : [bad('mail server', asked.problem, 'mails wait until it responds; check SLIPWAY_SMTP_URL')]
}

/** A program of the server asks the cluster: it speaks TLS and reads YAML with packages that have to be installed. */
const cluster = (tries) => ask('doctor-cluster.ts', 'cluster', tries ? ['--try'] : [])

/** Another one asks the place where backups outside this host are kept, by the settings. */
const backups = () => ask('doctor-backups.ts', 'backups')

/** What a program of the server finds: it prints a finding per line. @returns {Promise<Finding[]>} */
async function ask(program, name, args = []) {
  if (!isInstalled()) return [note(name, 'asked once the npm packages are installed', 'npm ci')]
  const words = [inTree(`packages/server/src/${program}`), ...args]
  const { code, output } = await run(node24(), words, { quiet: true })
  const lines = output.split('\n')
  const found = lines.filter((line) => line.startsWith('{"state"')).map((line) => JSON.parse(line))
  return code === 0 ? found : [...found, bad(name, `could not be examined: ${lines.filter(Boolean).at(-1)}`)]
}

async function space() {
  let folder = dataDir()
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const text = `${gib(free)} free for ${dataDir()}`
  if (free < 2 * 2 ** 30)
    return [bad('disk space', text, 'free some, or set SLIPWAY_DATA_DIR to a larger disk')]
  if (free < 20 * 2 ** 30) return [note('disk space', `${text}; VMs take up to the size of their disks`)]
  return [good('disk space', text)]
}

/** Whether there is still room for the way out of a full disk. @returns {Finding[]} */
function ballast() {
  const missing = missingBallast(dataDir())
  if (missing === null) return []
  if (missing === 0)
    return [good('ballast', 'whole: on a full disk VMs can be stopped and everything can be deleted')]
  return [
    bad(
      'ballast',
      `${missing} pieces were given up on a full disk`,
      'free at least 320 MiB, and the running server makes them again; see docs/operate.md, A full disk',
    ),
  ]
}

/** Whether the data directory is closed to other users. @returns {Finding[]} */
function privacy() {
  if (!existsSync(dataDir())) return []
  const open = openToOthers(dataDir())
  if (open.length === 0) return [good('data directory', 'closed to other users of this machine')]
  return open.map(({ path, mode }) =>
    bad('data directory', `other users of this machine get at ${path} (mode ${mode})`, `chmod go= '${path}'`),
  )
}

/** @returns {Finding} */
function memory() {
  const available =
    Number(readFileSync('/proc/meminfo', 'utf8').match(/^MemAvailable:\s+(\d+)/m)?.[1] ?? 0) * 1024
  const text = `${gib(available)} of ${gib(totalmem())} available, ${availableParallelism()} processors`
  return available < 2 ** 30 ? note('memory', `${text}; VMs wait until enough is free`) : good('memory', text)
}

/** @returns {Finding} */
function systemPackage(one) {
  if (!isMissing(one)) return good(one.package, one.why)
  const say = one.optional ? note : bad
  return say(one.package, `not installed; ${one.why}`, installCommand([one]))
}

/** @returns {Promise<Finding>} */
async function qemu() {
  const { code, output } = await run('qemu-system-x86_64', ['--version'], { quiet: true })
  if (code !== 0) return bad('QEMU', 'cannot be run', installCommand(enginePackages()))
  return good('QEMU', output.split('\n')[0])
}

/** Tells the verdict of the server's own trial, where there is one. @returns {Finding} */
function accelerator() {
  const verdict = inData('accelerator.json')
  if (existsSync(verdict)) {
    const { kind, reason } = JSON.parse(readFileSync(verdict, 'utf8')).accelerator
    return kind === 'KVM' ? good('accelerator', reason) : note('accelerator', reason)
  }
  if (!existsSync('/dev/kvm')) {
    return note(
      'accelerator',
      'TCG: no /dev/kvm, guests run several times slower',
      'switch virtualisation on in the firmware',
    )
  }
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK)
    return good('accelerator', '/dev/kvm is there; the server tries at its first start whether it works')
  } catch {
    return note(
      'accelerator',
      'TCG: /dev/kvm is closed to this user',
      'sudo usermod -aG kvm $USER, then sign in again',
    )
  }
}

/** @returns {Finding} */
function bootImages() {
  const made = existsSync(inData('images')) ? readdirSync(inData('images')) : []
  const ready = readdirSync(inTree('images')).filter((name) => made.includes(`${name}.json`))
  if (!ready.includes('starter')) return note('boot images', 'none built yet; npm start builds Starter Linux')
  return good(
    'boot images',
    `built: ${ready.join(', ')}; the others when they are first used, or by npm run images`,
  )
}

/** What lies in the data directory and belongs to nobody. It is only told: it may be somebody's data. */
async function orphans() {
  if (!isInstalled() || !existsSync(inData('slipway.sqlite'))) return []
  const { code, output } = await run(node24(), [inTree('packages/server/src/orphans.ts')], { quiet: true })
  if (code !== 0) return [note('orphans', 'the data directory or its database could not be read')]
  const found = JSON.parse(output.trim().split('\n').at(-1))
  if (found.length === 0) return [good('orphans', 'everything in the data directory belongs to something')]
  return found.map(({ kind, path, bytes }) =>
    note('orphans', `a ${kind} of ${gib(bytes)} belongs to nothing: ${path}`, 'look at it, then remove it'),
  )
}

/** @returns {Promise<Finding>} */
async function guestNetwork() {
  const isRoot = process.getuid?.() === 0
  const alone = isRoot
    ? 'guests reach the Internet, and firewall rules protect this host; VMs of a project cannot reach each other'
    : 'guests are reached by SSH, and reach neither each other nor anything else'
  if (process.env.SLIPWAY_NETWORK === 'off')
    return note('guest network', alone, 'take SLIPWAY_NETWORK=off out of the settings')
  const missing = [...firewallTools, ...(isRoot ? [] : [wayOutOfUsers])].filter(isMissing)
  if (missing.length > 0)
    return note(
      'guest network',
      `${alone}: ${missing.map((one) => one.command).join(', ')} missing`,
      installCommand(missing),
    )
  if (!isRoot) {
    const own = ['--user', '--map-root-user', '--net', '--', 'true']
    if ((await run('unshare', own, { quiet: true })).code !== 0)
      return note(
        'guest network',
        `${alone}: this host does not let users make namespaces`,
        'sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0',
      )
    if (!isWritable('/dev/net/tun'))
      return note(
        'guest network',
        `${alone}: /dev/net/tun is not open to this user`,
        'chmod 0666 /dev/net/tun',
      )
  }
  return good(
    'guest network',
    'each project has a private network with names and a way to the Internet; firewall rules protect this host',
  )
}

/** @param {string} path */
function isWritable(path) {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Guests answer at 127.100.x.y; whether at port 22 depends on who may have it. @returns {Promise<Finding>} */
async function port22() {
  const error = await new Promise((resolve) => {
    const server = createServer()
    server.on('error', resolve)
    server.listen(22, '127.100.255.254', () => server.close(() => resolve(null)))
  })
  if (!error) return good('port 22', 'free on 127.100.0.0/16: guests answer there at the usual SSH port')
  if (error.code === 'EACCES') {
    return note(
      'port 22',
      'closed to this user: guests answer at a port above 1024',
      'start Slipway as root, or ssh -p as the console shows',
    )
  }
  return note(
    'port 22',
    `taken on every address (${error.code}): guests answer at another port`,
    'give sshd a ListenAddress of its own',
  )
}
