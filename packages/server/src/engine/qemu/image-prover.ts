import { randomUUID } from 'node:crypto'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BootImage, ImageError, type ImageStore, type Prover } from '../../image/image-store.ts'
import type { Importer } from '../../image/import.ts'
import { CommandError, run } from '../../lib/command.ts'
import type { Log } from '../../lib/log.ts'
import { type Address, type Engine, EngineError } from '../engine.ts'
import { makeQemuEngine } from './qemu-engine.ts'
import { isOurs } from './warm/fit.ts'
import { type InGuest, proveIdentity } from './warm/identity-proof.ts'

const BOOT_MS = 10 * 60_000
const CHECK_MS = 30 * 60_000
const LOOK_MS = 250

/**
 * Proves images by booting them like every other machine, in an engine of their own whose data directory is a folder
 * of the work directory, and running `check.sh` of the recipe there over SSH.
 *
 * @param dataDir of the engine proper, which knows the host's accelerator
 */
export function makeImageProver(deps: { dataDir: string; importer: Importer; log: Log }): Prover {
  const engineIn = (workDir: string, image: BootImage | null): Engine =>
    makeQemuEngine({
      dataDir: join(workDir, 'proving'),
      hostDir: deps.dataDir,
      images: onlyImage(image),
      importer: deps.importer,
      log: deps.log,
    })

  return {
    async prove(image, recipe, { workDir, signal }) {
      const check = await readFile(join(recipe.dir, 'check.sh'), 'utf8')
      const engine = engineIn(workDir, image)
      await mkdir(join(workDir, 'proving'))
      const key = join(workDir, 'key')
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'slipway-check', '-f', key])
      const publicKey = await readFile(`${key}.pub`, 'utf8')
      const id = randomUUID()
      try {
        await engine.open()
        await engine.createMachine({
          id,
          projectId: 'slipway-check',
          hostname: 'slipway-check',
          imageId: recipe.id,
          volumeIds: [],
          persistent: true,
          cpu: recipe.template?.cpu ?? 1,
          memoryMb: recipe.template?.memoryMb ?? 1024,
          sshPublicKeys: [publicKey],
        })
        await engine.startMachine(id, { freshRoot: false, volumeIds: [] })
        const address = await answering(engine, id, recipe.name, signal)
        const output = await runInGuest(address, key, check, signal)
        if (isOurs(image)) {
          const inGuest: InGuest = (command, input, options) =>
            overSsh(address, key, command, { input, options, signal })
          await proveIdentity({ publicKey, workDir }, inGuest, signal)
        }
        deps.log.info({ image: recipe.id, output: output.slice(-2000) }, 'A boot image passed its check')
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof EngineError) {
          throw new ImageError(
            `The ${recipe.name} image was built but could not be checked. ${error.message}`,
            {
              cause: error,
              noSpace: error.code === 'no-space',
            },
          )
        }
        if (!(error instanceof CommandError)) throw error
        deps.log.error(
          { image: recipe.id, output: error.stderr.slice(-4000) },
          'A boot image failed its check',
        )
        throw new ImageError(`The ${recipe.name} image was built but failed its check: ${error.message}`, {
          cause: error,
        })
      } finally {
        await engine.deleteMachine(id)
        await engine.close()
      }
    },

    async sweep(workDir) {
      if (!(await stat(join(workDir, 'proving')).catch(() => null))) return
      const engine = engineIn(workDir, null)
      await engine.open()
      for (const id of (await engine.list()).keys()) await engine.deleteMachine(id)
      await engine.close()
    },
  }
}

/** A store of one image, which goes by every name. */
function onlyImage(image: BootImage | null): ImageStore {
  const none = () => new ImageError('There is no image here.')
  return {
    look: async () => (image ? { state: 'ready' } : { state: 'absent' }),
    find: async () => image,
    ensure: async () => (image ? { state: 'ready' } : { state: 'unavailable', reason: none().message }),
    use: () => (image ? Promise.resolve(image) : Promise.reject(none())),
    verify: async () => {},
    open: async () => {},
    close: async () => {},
  }
}

async function answering(engine: Engine, id: string, name: string, signal: AbortSignal): Promise<Address> {
  const until = performance.now() + BOOT_MS
  while (performance.now() < until) {
    const state = await engine.inspect(id)
    if (state.power === 'ready') return state.address
    if (state.power !== 'booting') {
      throw new ImageError(`The ${name} image was built but does not boot: the guest stopped.`)
    }
    await sleep(LOOK_MS, undefined, { signal })
  }
  throw new ImageError(`The ${name} image was built but does not boot: SSH never responded.`)
}

/** As a file: what the script starts must not read on in it. */
const RUN_CHECK = 'cat > /run/check.sh && exec sh /run/check.sh < /dev/null'

/** Runs a script as root, whose complaints and last words tell what failed. */
const runInGuest = (address: Address, key: string, input: string, signal: AbortSignal): Promise<string> =>
  overSsh(address, key, RUN_CHECK, {
    input,
    options: ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null'],
    signal,
  })

function overSsh(
  address: Address,
  key: string,
  command: string,
  { input, options, signal }: { input: string; options: readonly string[]; signal: AbortSignal },
): Promise<string> {
  const all = [...options, 'LogLevel=ERROR', 'BatchMode=yes', 'ServerAliveInterval=30']
  return run(
    'ssh',
    [
      ...['-F', 'none', '-i', key, '-p', `${address.port}`, ...all.flatMap((option) => ['-o', option])],
      ...[`root@${address.ip}`, command],
    ],
    { input, timeoutMs: CHECK_MS, signal },
  )
}
