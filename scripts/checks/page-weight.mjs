import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { inTree } from '../setup/tree.mjs'

/**
 * @typedef {{ isEntry?: boolean, file: string, imports?: string[], css?: string[] }} Entry
 * @typedef {Record<string, Entry>} Manifest
 */

/**
 * The pages that people see first, which of the frames are around them, and what each may cost: kB (gzip) of JavaScript and CSS, and
 * files.
 * @typedef {{ what: string, page: string, within: string, kB: number, files: number }} FirstPage
 * @typedef {{ frames: Record<string, string[]>, pages: FirstPage[] }} FirstPages
 */

/** Weighs the first pages as built. @returns {{ ok: boolean, output: string }} */
export function checkPageWeight() {
  const dist = inTree('packages/web/dist')
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))
  /** @type {FirstPages} */
  const { frames, pages } = JSON.parse(readFileSync(inTree('packages/web/build/first-pages.json'), 'utf8'))
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry)
  /** @type {string[]} */
  const lines = []
  let ok = true
  for (const { what, page, within, kB: budget, files: most } of pages) {
    const keys = [...(frames[within] ?? []), page]
    const missing = keys.find((key) => !manifest[key])
    if (missing)
      return {
        ok: false,
        output: `The ${what} is made of ${missing}, which was not built. See packages/web/build/first-pages.json.`,
      }
    const files = filesOf(manifest, [...entries, ...keys])
    const kB = [...files].reduce((sum, file) => sum + weigh(join(dist, file)), 0) / 1000
    if (kB > budget || files.size > most) ok = false
    lines.push(`${what}: ${kB.toFixed(1)} kB in ${files.size} files, at most ${budget} kB in ${most}`)
  }
  return { ok, output: lines.join('\n') }
}

/**
 * All files that some modules need before they are shown.
 * @param {Manifest} manifest
 * @param {string[]} keys
 */
export function filesOf(manifest, keys) {
  /** @type {Set<string>} */
  const seen = new Set()
  /** @type {Set<string>} */
  const files = new Set()
  /** @param {string} key */
  const visit = (key) => {
    const entry = manifest[key]
    if (!entry || seen.has(key)) return
    seen.add(key)
    for (const file of [entry.file, ...(entry.css ?? [])]) files.add(file)
    for (const next of entry.imports ?? []) visit(next)
  }
  for (const key of keys) visit(key)
  return files
}

/** @param {string} path */
const weigh = (path) => (existsSync(path) ? gzipSync(readFileSync(path), { level: 9 }).length : 0)
