/** The program: reads the settings, builds everything, listens, and closes cleanly. Guests outlive it. */
import { availableParallelism, hostname } from 'node:os'
import path from 'node:path'
import { gatewayCommand } from '@slipway/contract'
import { owaspCost } from './account/password.ts'
import { buildApp } from './app.ts'
import { openBackupDesk } from './backup/desk.ts'
import { clearStaging, makeOutside } from './backup/outside.ts'
import { requireComplete } from './backup/restore.ts'
import { type Config, readConfig } from './config.ts'
import { leaseOn } from './db/lease.ts'
import { migrateDatabase } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { peersOn } from './db/peers.ts'
import { type SharedFile, shareFiles } from './db/shared-files.ts'
import { type Gateway, startGateway } from './gateway/gateway.thread.ts'
import { keepKey } from './gateway/wire/keys.ts'
import { readRecipes, templatesOf } from './image/recipe.ts'
import { openBallast } from './lib/ballast.ts'
import { systemClock } from './lib/clock.ts'
import { openDataDirectory } from './lib/data-directory.ts'
import { directoryId } from './lib/directory-id.ts'
import { keptSecret } from './lib/kept-secret.ts'
import { makeLog } from './lib/log.ts'
import { ownDirectory } from './lib/own-directory.ts'
import { nameOfThisProcess } from './lib/process-identity.ts'
import { watchUncaught } from './lib/uncaught.ts'
import { asWayOut, isDiskFull } from './lib/way-out.ts'
import { outboxMailer, type SendMail, smtpMailer, toldMailer } from './mail/mail.ts'
import { openEngine, reachOf } from './open-engine.ts'
import { demo, seed } from './seed.ts'

/** After so long it is said what the start waits for. */
const tellMs = 1_500
/** The longest end: the process then leaves what is left, as a crash would, and nothing acknowledged is lost. */
const shutDownMs = 6_000
const webRoot = path.join(import.meta.dirname, '../../web/dist')

function makeMailer(config: Config): { sendMail: SendMail; where: string } {
  if (config.smtpUrl) {
    return {
      sendMail: smtpMailer(config.smtpUrl, config.mailFrom),
      where: `by SMTP through ${new URL(config.smtpUrl).host}`,
    }
  }
  const dir = path.join(config.dataDir, 'outbox')
  return {
    where: `as .eml files in ${dir}; links are printed here`,
    sendMail: toldMailer(outboxMailer(dir, config.mailFrom), (line) => console.log(line)),
  }
}

/** Without the password. */
function databaseLine({ database }: Config): string {
  if ('file' in database) return 'SQLite'
  const { hostname, port, pathname } = new URL(database.url)
  return `PostgreSQL, ${pathname.slice(1)} on ${hostname || 'this machine'}${port && `:${port}`}`
}

function sshLine(gateway: Gateway | null, listen: string | undefined): string {
  if (!gateway) return 'off'
  const host = gateway.host ?? (listen && !/^[0.:]+$/.test(listen) ? listen : hostname())
  const command = gatewayCommand('<vm>.<project>', { host, port: gateway.port })
  const near = gateway.localOnly ? ' (from this machine only; SLIPWAY_SSH_LISTEN lets others in)' : ''
  return `${command}${near}, host key ${gateway.fingerprint}`
}

/**
 * By these people know the servers, guests let them in, and operators' programs are let in. A key of the settings never gets
 * into the database, which is what it is for.
 */
const sharedFiles = ({ dataDir, factorKey }: Pick<Config, 'dataDir' | 'factorKey'>): SharedFile[] => [
  { name: 'ssh_host_key', make: () => keepKey(dataDir, 'ssh_host_key', 'slipway') },
  { name: 'ssh_gateway_key', make: () => keepKey(dataDir, 'ssh_gateway_key', 'slipway-gateway') },
  { name: 'metrics.token', make: () => keptSecret(path.join(dataDir, 'metrics.token')) },
  ...(factorKey === null
    ? [{ name: 'factor.key', make: () => keptSecret(path.join(dataDir, 'factor.key')) }]
    : []),
]

async function main(): Promise<void> {
  const config = readConfig()
  const log = makeLog(config.logLevel)
  for (const warning of config.warnings) console.error(warning)
  // The log is written at once, so the reason is out before the end.
  watchUncaught(log, () => process.exit(1))
  for (const problem of await openDataDirectory(config.dataDir)) console.error(problem)
  requireComplete(config.dataDir)
  // Before anything that a server which runs there has is touched.
  const giveUpDirectory = await ownDirectory(config.dataDir)
  const ballast = openBallast(config.dataDir, ['machines'], log)
  // Much of what follows writes a little, and none of it could begin again.
  if (!ballast.makeRoom())
    console.error(
      `The disk of ${config.dataDir} is full, and nothing is left of the ballast. If the server does not start, free some space: delete ${path.join(config.dataDir, 'warm')}, which is made again, or move a large file away, then delete what is no longer needed.`,
    )
  await asWayOut(() => migrateDatabase(config.database, ballast.giveUp))
  const db = openDatabase(config.database, { makeRoom: ballast.giveUp })
  const standsAlone = reachOf(config) === 'one-server'
  const lease = leaseOn(config.database, {
    name: nameOfThisProcess,
    home: standsAlone ? await directoryId(config.dataDir) : null,
    log,
    onLost(reason) {
      console.error(reason)
      process.exit(1)
    },
  })
  const waiting = new AbortController()
  // Nobody else may so much as look at these machines.
  if (standsAlone) {
    const tell = setTimeout(
      () => console.log(`Waiting for ${lease.holder() ?? 'the database'} to let go.`),
      tellMs,
    )
    await lease.take(waiting.signal)
    clearTimeout(tell)
  }
  const peers = await peersOn(config.database, log)
  const recipes = await readRecipes()
  const engine = await openEngine(config, recipes, log, ballast)
  const { sendMail, where } = makeMailer(config)
  if (!standsAlone) await shareFiles(db, config.dataDir, sharedFiles(config))
  const gateway = config.ssh && (await startGateway({ dataDir: config.dataDir, ...config.ssh }, log))
  let ownUrl = ''
  if (config.backup) await clearStaging(config.dataDir)
  const outside = config.backup && makeOutside({ ...config, engine }, config.backup, log)
  const { app, start, drives, drive, rest, close } = await buildApp({
    config,
    db,
    engine,
    templates: templatesOf(recipes),
    sendMail,
    clock: systemClock,
    log,
    webRoot,
    ownUrl: () => ownUrl,
    gateway,
    metricsToken: config.metricsToken ?? (await keptSecret(path.join(config.dataDir, 'metrics.token'))),
    factorKey: config.factorKey ?? (await keptSecret(path.join(config.dataDir, 'factor.key'))),
    passwordCost: owaspCost,
    peers,
    lease,
    backups: outside?.state ?? null,
    // A database elsewhere takes what this disk has no room for.
    ballast: 'file' in config.database ? ballast : { ...ballast, isShort: () => false },
    startsAtOnce: config.engine === 'simulated' ? 1000 : Math.max(2, availableParallelism()),
  })

  const closeBackupDesk = await openBackupDesk({ ...config, engine }, log, outside?.make).catch((err) => {
    // People have to get in to delete; that no backup can be asked for shows when somebody does.
    if (!isDiskFull(err)) throw err
    log.warn({ err }, 'Backups cannot be asked for: the disk is full')
    return async () => {}
  })
  const endBackups = outside?.keepDoing(drives)
  const endBallast = ballast.keep()

  let closing = false
  async function shutDown(signal: string): Promise<void> {
    if (closing) return
    closing = true
    console.log(`${signal}: shutting down. Running VMs are not affected.`)
    waiting.abort()
    let waitsFor = ''
    setTimeout(() => {
      log.warn({ waitsFor }, 'The server did not end in time; what is left ends with its process')
      process.exit(0)
    }, shutDownMs)
    // Another server may go on at once, while this one ends what it has begun to answer.
    const ahead = standsAlone ? [] : [['rest', rest] as const, ['lease', lease.release] as const]
    for (const [what, end] of [
      ...ahead,
      ['backups', async () => endBackups?.()],
      ['ballast', endBallast],
      ['backup socket', closeBackupDesk],
      ['SSH', async () => gateway?.close()],
      ['connections', close],
      ['engine', () => engine.close()],
      ['lease', lease.release],
      ['peers', () => peers.close()],
      ['database', () => db.destroy()],
      ['directory', giveUpDirectory],
    ] as const) {
      waitsFor = what
      await end()
    }
    process.exit(0)
  }
  process.on('SIGINT', () => void shutDown('SIGINT'))
  process.on('SIGTERM', () => void shutDown('SIGTERM'))

  await asWayOut(start)
  if (standsAlone) await drive()
  const seeded = config.seed && config.engine === 'simulated'
  if (seeded) await seed(app, db)
  const address = await app.listen({ host: config.host, port: config.port })
  ownUrl = address.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]')
  const { accelerator, acceleratorReason, network } = engine.capabilities
  console.log(
    [
      `Slipway is ready at ${config.publicUrl?.href ?? ownUrl}`,
      `  data     ${config.dataDir}`,
      `  database ${databaseLine(config)}`,
      `  engine   ${engine.kind}${accelerator ? `, ${accelerator}` : ''}${acceleratorReason ? ` (${acceleratorReason})` : ''}`,
      `  network  ${network}`,
      ...(standsAlone ? [] : ['  servers  this one stands by until it drives']),
      `  ssh      ${sshLine(gateway, config.ssh?.listen)}`,
      `  mails    ${where}`,
      ...config.oidc.map(({ label, issuer }) => `  sign in  with ${label}, ${issuer}`),
      ...(seeded ? [`  sign in  ${demo.email} with ${demo.password}`] : []),
    ].join('\n'),
  )
  if (standsAlone) return
  const isOurs = await lease.take(waiting.signal).then(
    () => true,
    (error: unknown) => {
      if (waiting.signal.aborted) return false
      throw error
    },
  )
  if (!isOurs) return
  await drive()
  console.log('This server drives from now on.')
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
