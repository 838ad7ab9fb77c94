import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { cpioOf } from './cpio.ts'
import { neededLibraries } from './elf.ts'
import { inOrder, plant, type Tree } from './tree.ts'

test('a tree puts every directory before what it holds', () => {
  const tree: Tree = new Map()
  plant(tree, '/usr/lib/slipway/say', { kind: 'file', mode: 0o755, content: Buffer.from('hello') })
  plant(tree, '/bin', { kind: 'link', target: 'usr/bin' })
  expect(inOrder(tree).map(([path]) => path)).toEqual([
    ...['/bin', '/usr', '/usr/lib', '/usr/lib/slipway', '/usr/lib/slipway/say'],
  ])
})

test('an archive has aligned records and ends with the trailer', () => {
  const tree: Tree = new Map()
  plant(tree, '/init', { kind: 'file', mode: 0o755, content: Buffer.from('#!/bin/sh\n') })
  const archive = cpioOf(tree)
  expect(archive.length % 4).toBe(0)
  expect(archive.toString('latin1', 0, 6)).toBe('070701')
  expect(archive.toString('latin1', 14, 22)).toBe('000081ed')
  expect(archive.includes('TRAILER!!!')).toBe(true)
})

test('the libraries of a program are read from its own header', async () => {
  const { interpreter, libraries } = neededLibraries(await readFile(process.execPath))
  expect(interpreter).toMatch(/ld-linux/)
  expect(libraries).toContain('libc.so.6')
  expect(neededLibraries(Buffer.from('#!/bin/sh\n'))).toEqual({ interpreter: null, libraries: [] })
})
