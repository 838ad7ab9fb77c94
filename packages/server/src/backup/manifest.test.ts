import { expect, it } from 'vitest'
import { isSafePath } from './manifest.ts'

it.each([
  'data/machines/01a203e1-a6ed-7000-8b23-aaadf9f5a4cb/root.qcow2',
  'data/images/files/b1a2',
  'data/ssh_host_key',
  'data/simulated.jsonl',
  'database/vm.ndjson',
])('%s is a path of a backup', (path) => expect(isSafePath(path)).toBe(true))

it.each([
  '',
  'backup.json',
  '/etc/passwd',
  'data',
  'data/',
  'data//machines',
  'data/../../etc/passwd',
  'data/machines/../../../etc/passwd',
  'data/machines/./x',
  'data\\machines\\x',
  'data/machines/a b',
  'data/machines/a\0b',
  'data/slipway.sqlite',
  'data/server.lock',
  'data/restore-not-complete',
  'data/installation.json',
  'data/.ssh/authorized_keys',
  'database/../data/x',
  'database/a/b.ndjson',
  'database/vm',
  'elsewhere/x',
])('%j is none', (path) => expect(isSafePath(path)).toBe(false))
