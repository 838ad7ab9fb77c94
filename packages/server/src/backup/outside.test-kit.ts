/** Repositories of restic for tests: in a directory, and on a server that speaks S3. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import S3rver from 's3rver'

export const hasRestic = spawnSync('restic', ['version']).status === 0
if (!hasRestic)
  console.warn('SKIPPED: tests of backups outside the host need restic: sudo apt-get install restic')

export type Settings = Record<string, string>

/** Settings of a repository in a directory, which nobody has created yet. */
export async function directoryPlace(home: string): Promise<Settings> {
  const passwordFile = path.join(home, 'password')
  await writeFile(passwordFile, 'correct horse battery\n', { mode: 0o600 })
  return {
    SLIPWAY_BACKUP_REPOSITORY: path.join(home, 'repository'),
    SLIPWAY_BACKUP_PASSWORD_FILE: passwordFile,
  }
}

/** The same on an S3 server that listens until `close`, by https, as stores outside are. */
export async function s3Place(home: string): Promise<{ settings: Settings; close: () => Promise<void> }> {
  const [key, cert] = [path.join(home, 's3.key'), path.join(home, 's3.crt')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...name], {
    stdio: 'pipe',
  })
  const directory = path.join(home, 's3')
  await mkdir(directory)
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    key: await readFile(key),
    cert: await readFile(cert),
    configureBuckets: [{ name: 'backups', configs: [] }],
  })
  const { port }: AddressInfo = await server.run()
  const settings = {
    ...(await directoryPlace(home)),
    SLIPWAY_BACKUP_REPOSITORY: `s3:https://127.0.0.1:${port}/backups/slipway`,
    SLIPWAY_BACKUP_S3_KEY_ID: 'S3RVER',
    SLIPWAY_BACKUP_S3_SECRET: 'S3RVER',
    SSL_CERT_FILE: cert,
  }
  return { settings, close: () => server.close() }
}
