import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from './failure.ts'

/** What `slipway login` and `slipway use` keep. */
export interface Kept {
  server: string
  token: string
  /** The project of commands that name none. */
  project?: { id: string; name: string }
}

/** Where a command goes, and as whom. */
export interface Settings {
  server: string
  token: string | undefined
  /** An id, or a name that is yet to be looked up. */
  project: string | undefined
}

const { SLIPWAY_SERVER, SLIPWAY_TOKEN, SLIPWAY_PROJECT, XDG_CONFIG_HOME } = process.env

export const tokenOfEnvironment = SLIPWAY_TOKEN?.trim() || undefined
export const serverOfEnvironment = SLIPWAY_SERVER || undefined

/** The file that keeps the token; nobody but its owner may read it. */
export const settingsFile = join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'slipway', 'cli.json')

export function readKept(): Kept | null {
  let text: string
  try {
    text = readFileSync(settingsFile, 'utf8')
  } catch {
    return null
  }
  try {
    const { server, token, project } = JSON.parse(text)
    if (typeof server !== 'string' || typeof token !== 'string') throw new Error('incomplete')
    return { server, token, ...(typeof project?.id === 'string' && { project }) }
  } catch {
    throw new Failure('failed', `${settingsFile} is damaged. Run \`slipway login\` to write it anew.`)
  }
}

/** Replaces the file as a whole. */
export function keep(kept: Kept): void {
  mkdirSync(dirname(settingsFile), { recursive: true, mode: 0o700 })
  const draft = `${settingsFile}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  // A draft that was left behind keeps its mode.
  chmodSync(draft, 0o600)
  renameSync(draft, settingsFile)
}

export const forget = (): void => rmSync(settingsFile, { force: true })

/** A server's URL without a slash at its end; throws when it is none. */
export function serverUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null
  if (!url || url.username || url.search || url.hash)
    throw new Failure('usage', `"${text}" is not the URL of a server. It looks like https://vms.example.com.`)
  return url.href.replace(/\/+$/, '')
}

/**
 * What is kept, with the environment over it. The kept token and project belong to the kept server: another server never
 * sees them.
 */
export function settingsOf(project: string | undefined): Settings {
  const kept = SLIPWAY_SERVER && SLIPWAY_TOKEN && (project ?? SLIPWAY_PROJECT) ? null : readKept()
  const server = SLIPWAY_SERVER ? serverUrl(SLIPWAY_SERVER) : kept?.server
  if (server === undefined)
    throw new Failure(
      'notAllowed',
      'Not signed in. Run `slipway login --server URL`, or set SLIPWAY_SERVER and SLIPWAY_TOKEN.',
    )
  const own = kept?.server === server ? kept : null
  return {
    server,
    token: tokenOfEnvironment ?? own?.token,
    project: project ?? (SLIPWAY_PROJECT || own?.project?.id),
  }
}
