import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { recipesDir } from '../../../image/recipe.ts'
import { CommandError } from '../../../lib/command.ts'
import { makeHostKey } from './host-key.ts'
import { addressOf, identityText } from './identity-text.ts'

/** A signed-in command in the guest; `options` are those of `ssh`. */
export type InGuest = (command: string, input: string, options: readonly string[]) => Promise<string>

const TIMES = 3
const PATIENCE_MS = 15 * 60_000
const PAUSE_MS = 1000

/**
 * Proves that a guest can drop what it is and become somebody else, three times: it does so with nobody signed in, and then lets
 * in who knows its last host key. Throws a {@link CommandError} that says what it complained about.
 */
export async function proveIdentity(
  { publicKey, workDir }: { publicKey: string; workDir: string },
  inGuest: InGuest,
  signal: AbortSignal,
): Promise<void> {
  let last = makeHostKey('')
  for (let number = 1; number <= TIMES; number += 1) {
    last = makeHostKey(`root@check-${number}`)
    const spec = { id: randomUUID(), hostname: `check-${number}`, sshPublicKeys: [publicKey] }
    const text = identityText({ spec, network: addressOf({}), bootId: null }, last)
    await inGuest(`cat > /run/identity-${number}`, text, NO_CHECK)
  }
  const script = await readFile(join(recipesDir, 'check-identity.sh'), 'utf8')
  await inGuest(BEGIN, script, NO_CHECK)

  const known = join(workDir, 'known-hosts')
  await writeFile(known, `${ALIAS} ${last.public}\n`)
  const strict = ['StrictHostKeyChecking=yes', `UserKnownHostsFile=${known}`, `HostKeyAlias=${ALIAS}`]
  const latest = performance.now() + PATIENCE_MS
  let why: unknown = null
  while (performance.now() < latest) {
    // It takes a while, and lets nobody in meanwhile.
    const said = await inGuest('cat /run/identity-checked /run/identity-log', '', [
      ...strict,
      'ConnectTimeout=20',
    ]).catch((error: unknown) => {
      why = error
      return ''
    })
    if (said.startsWith('passed')) return
    if (said !== '') why = said
    await sleep(PAUSE_MS, undefined, { signal })
  }
  throw new CommandError('check-identity.sh', String(why), 'The guest did not become somebody else')
}

/** Its key is known by this name, wherever it answers. */
const ALIAS = 'slipway-check'
const NO_CHECK = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null']

/** In a session of its own: the one that begins it ends soon. */
const BEGIN =
  'cat > /run/check-identity.sh && (setsid sh /run/check-identity.sh < /dev/null > /run/identity-log 2>&1 &)'
