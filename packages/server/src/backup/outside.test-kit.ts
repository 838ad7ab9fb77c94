/** Repositories of restic for tests: in a directory, and on a server that speaks S3. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import S3rver from 's3rver'

export const hasRestic = spawnSync('restic', ['version']).status === 0
if (!hasRestic)
  console.warn('SKIPPED: tests of backups outside the host need restic: sudo apt-get install restic')

const keyOf = (salt: string, data: string) =>
  `{"created":"2026-11-28T00:00:00Z","username":"test","hostname":"test","kdf":"scrypt","N":16,"r":8,"p":1,"salt":"${salt}","data":"${data}"}`
const quick = {
  config: [
    '5caPDxjSiwpIlwac/dJvvnY98DVml+UnPo5/cffouqI8q+vJ+LHPVnVI6/0i9I+bid9jbBkW3l+2xwwmTA6o9KyHtgS6FNPz',
    'gWJe0ROFZm0YClzTkD4zACF+M93QNFS9kxj2jGG5KMizhje5YLiT1G/VcP8XsFtFI1gnUrWtEqk7EgeCNd3pguyusf+eVFQd',
    'fVCv7genB2qKYeU=',
  ].join(''),
  key: keyOf(
    ['kYlqK3rjB43ZOAwWS5OIhm5GsOdRyB9MwgNcvTtJrHFVytUpLzLHEriiSXzc9TFnsnugY75WM6QZWOFiifhWXA=='].join(''),
    [
      'zhQ33zmhEWYiJRT2Ni7Qd2uHBk+3PWmfqVMAoix5iXwJecQL46guZTbIYnveFDhoWv/OFWH3/4VToxhDygMBmETwNUW5bgUj',
      'tDhejOy6QAvNKxW0IsOROyhtptqu+72uDDyqj4s9mJua6qP1AOHKe7MZgfAEhOIEwgn3T9H3+qLk6KcApIEMsqU5ZrHAG2Jt',
      'Ac6scoo5fzZUPpACV3hMUA==',
    ].join(''),
  ),
}

/**
 * Puts an empty repository there as restic makes them, for the password of {@link directoryPlace}. The work of deriving
 * its key is next to nothing; with one of restic's own every command takes half a second of the processor.
 */
export async function quickRepository(place: string): Promise<void> {
  for (const name of ['data', 'index', 'keys', 'locks', 'snapshots'])
    await mkdir(path.join(place, name), { recursive: true })
  await writeFile(path.join(place, 'config'), Buffer.from(quick.config, 'base64'))
  const name = createHash('sha256').update(quick.key).digest('hex')
  await writeFile(path.join(place, 'keys', name), quick.key)
}

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
