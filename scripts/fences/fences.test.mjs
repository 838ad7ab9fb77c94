import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findViolations } from './find.mjs'

const server = 'packages/server/src'
const web = 'packages/web/src'

/** A small house in which everything is where it belongs. */
const cleanTree = {
  'packages/contract/src/index.ts': "export * from './vm.ts'",
  'packages/contract/src/vm.ts': "import { z } from 'zod'\nexport const Vm = z.object({})",
  [`${server}/main.ts`]:
    "import { buildApp } from './app.ts'\nimport { makeQemu } from './engine/qemu/qemu.ts'",
  [`${server}/app.ts`]: "import { installRoutes } from './app/web.ts'\nimport './vm/vm.repo.ts'",
  [`${server}/app/web.ts`]: "import fastify from 'fastify'\nimport { vmRoutes } from '../vm/vm.routes.ts'",
  [`${server}/config.ts`]: 'export const port = process.env.SLIPWAY_PORT',
  [`${server}/vm/vm.routes.ts`]: "import { Vm } from '@slipway/contract'\nimport './vm.service.ts'",
  [`${server}/vm/vm.service.ts`]: "import './vm.repo.ts'\nimport '../project/project.service.ts'",
  [`${server}/vm/vm.repo.ts`]:
    "import { sql } from 'kysely'\nimport '../db/open.ts'\nimport '../disk/disk.writes.ts'\ndb.updateTable('vm')",
  [`${server}/disk/disk.writes.ts`]:
    "import type { Db } from '../db/open.ts'\nimport '../activity/record.ts'\ntx.insertInto('disk')",
  [`${server}/activity/record.ts`]: "tx.insertInto('activity')",
  [`${server}/account/account.repo.ts`]: "db.deleteFrom('session').where('account_id', '=', id)",
  [`${server}/db/migrations/0001-first.ts`]: 'sql`update disk set size_gb = 1`',
  [`${server}/vm/vm.plan.ts`]: "import type { Vm } from '@slipway/contract'",
  [`${server}/vm/vm.reconcile.ts`]:
    "import './vm.repo.ts'\nimport type { Engine } from '../engine/engine.ts'",
  [`${server}/project/project.service.ts`]: "import { newId } from '../lib/id.ts'",
  [`${server}/engine/engine.ts`]: 'export interface Engine {}',
  [`${server}/engine/qemu/qemu.ts`]: "import '../engine.ts'\nimport './qmp/client.ts'\nimport 'node:net'",
  [`${server}/engine/qemu/qmp/client.ts`]: "import '../qemu-error.ts'",
  [`${server}/engine/qemu/qemu-error.ts`]: '',
  [`${server}/engine/kubevirt/kubevirt-engine.ts`]: "import './kube/watch.ts'",
  [`${server}/engine/kubevirt/machine-id.ts`]: '',
  [`${server}/engine/kubevirt/kube/watch.ts`]: "import 'ws'",
  [`${server}/db/open.ts`]: "import { Kysely } from 'kysely'",
  [`${server}/lib/id.ts`]: "import 'node:crypto'",
  [`${web}/routes.tsx`]: "const page = () => import('./features/vm/VmListPage.tsx')",
  [`${web}/features/vm/VmListPage.tsx`]: "import '../disk/DiskBadge.tsx'\nimport '../../api/vms.ts'",
  [`${web}/features/disk/DiskBadge.tsx`]: "import '../../ui/Badge.tsx'",
  [`${web}/features/disk/DiskListPage.tsx`]: "import './DiskBadge.tsx'",
  [`${web}/api/vms.ts`]: "import { Vm } from '@slipway/contract'",
  [`${web}/ui/Badge.tsx`]: "import './Badge.css'",
  'e2e/vm.spec.ts': "import { test } from '@playwright/test'",
  'bench/src/main.ts': "import 'node:http'",
  'campaign/src/main.ts': "import 'node:http'",
  'scripts/start.mjs': "import 'node:fs'",
}

let root

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fences-'))
  for (const [file, text] of Object.entries(cleanTree)) write(file, text)
})

afterEach(() => rmSync(root, { recursive: true }))

function write(file, text) {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

const violations = () => findViolations(root).violations

describe('the fences', () => {
  it('let a clean tree pass, having read it', () => {
    const { files, imports } = findViolations(root)
    expect(violations()).toEqual([])
    expect(files).toBe(Object.keys(cleanTree).length)
    expect(imports).toBeGreaterThan(files)
  })

  const crossings = [
    ['a contract that imports another package', 'packages/contract/src/vm.ts', 'fastify'],
    ['a route that reaches past its service', `${server}/vm/vm.routes.ts`, './vm.repo.ts'],
    ['a service that touches the engine', `${server}/vm/vm.service.ts`, '../engine/engine.ts'],
    ['a service that knows Fastify', `${server}/vm/vm.service.ts`, 'fastify'],
    [
      'a service that uses the repo of another feature',
      `${server}/project/project.service.ts`,
      '../vm/vm.repo.ts',
    ],
    ['writes that know the repo of their feature', `${server}/disk/disk.writes.ts`, './disk.repo.ts'],
    ['a service that writes beside its repo', `${server}/vm/vm.service.ts`, '../disk/disk.writes.ts'],
    ['a plan that reads files', `${server}/vm/vm.plan.ts`, 'node:fs'],
    ['a plan that knows the clock', `${server}/vm/vm.plan.ts`, '../lib/id.ts'],
    ['a reconciler that knows one engine', `${server}/vm/vm.reconcile.ts`, '../engine/qemu/qemu.ts'],
    ['an engine that knows a feature', `${server}/engine/qemu/qemu.ts`, '../../vm/vm.plan.ts'],
    ['an engine that knows the database', `${server}/engine/qemu/qemu.ts`, '../../db/open.ts'],
    [
      'an engine that knows another engine',
      `${server}/engine/simulated/simulated.ts`,
      '../qemu/qemu-error.ts',
    ],
    [
      'a client of Kubernetes that knows its engine',
      `${server}/engine/kubevirt/kube/watch.ts`,
      '../machine-id.ts',
    ],
    ['an engine port that depends on something', `${server}/engine/engine.ts`, '../lib/id.ts'],
    ['a lib that knows a feature', `${server}/lib/id.ts`, '../vm/vm.plan.ts'],
    ['a database that knows a feature', `${server}/db/open.ts`, '../vm/vm.plan.ts'],
    ['a ui piece that calls the server', `${web}/ui/Badge.tsx`, '../api/vms.ts'],
    ['a ui piece that knows the contract', `${web}/ui/Badge.tsx`, '@slipway/contract'],
    [
      'a page that uses the page of another feature',
      `${web}/features/vm/VmListPage.tsx`,
      '../disk/DiskListPage.tsx',
    ],
    ['a console that imports the server', `${web}/api/vms.ts`, '../../../server/src/vm/vm.plan.ts'],
    ['a console that imports the server by name', `${web}/api/vms.ts`, '@slipway/server'],
    ['a server that imports the console', `${server}/main.ts`, '../../web/src/api/vms.ts'],
    ['an end-to-end test that looks behind the scenes', 'e2e/vm.spec.ts', '../packages/server/src/app.ts'],
  ]
  for (const [what, file, target] of crossings) {
    it(`catch ${what}`, () => {
      write(file, `import x from '${target}'`)
      expect(violations().filter((one) => !one.includes('circle of folders'))).toEqual([
        expect.stringMatching(`^${file}:1: .* may not import .+\\. `),
      ])
    })
  }

  const forms = {
    'an import for its effects': "import '../api/vms.ts'",
    'a type import': "import type { A } from '../api/vms.ts'",
    'a re-export': "export { a } from '../api/vms.ts'",
    'a re-export of everything': "export * from '../api/vms.ts'",
    'a dynamic import': "const a = await import('../api/vms.ts')",
    'an import type': "type A = import('../api/vms.ts').A",
  }
  for (const [form, statement] of Object.entries(forms)) {
    it(`see ${form}, and name its line`, () => {
      write(`${web}/ui/Badge.tsx`, `\n\n${statement}`)
      expect(violations()).toEqual([expect.stringContaining(`${web}/ui/Badge.tsx:3: `)])
    })
  }

  it('catch a circle of imports and show the way round', () => {
    write(`${server}/lib/id.ts`, "import './clock.ts'")
    write(`${server}/lib/clock.ts`, "import './log.ts'")
    write(`${server}/lib/log.ts`, "import './id.ts'")
    expect(violations()).toEqual([expect.stringContaining('lib/clock.ts → ')])
  })

  it('let files know each other by type, or load one another later', () => {
    write(`${server}/lib/id.ts`, "import './clock.ts'")
    write(`${server}/lib/clock.ts`, "import type { Id } from './id.ts'\nconst id = () => import('./id.ts')")
    expect(violations()).toEqual([])
  })

  it('catch a circle of folders, also one of types alone, and show the way round', () => {
    write(`${server}/disk/disk.service.ts`, "import type { Vm } from '../vm/vm.service.ts'")
    write(`${server}/vm/vm.service.ts`, "import type { Disk } from '../disk/disk.service.ts'")
    write(`${web}/features/disk/DiskBadge.tsx`, "import '../vm/VmName.tsx'")
    write(`${web}/features/vm/VmName.tsx`, '')
    expect(violations()).toEqual([
      expect.stringMatching(/(disk → vm → disk|vm → disk → vm)/),
      expect.stringContaining('features/disk → features/vm → features/disk'),
    ])
  })

  it('let tests use whatever they test with', () => {
    write(`${server}/disk/disk.test.ts`, "import '../vm/vm.service.ts'")
    write(`${server}/vm/vm.service.ts`, "import '../disk/disk.service.ts'")
    write(`${server}/disk/disk.service.ts`, '')
    expect(violations()).toEqual([])
  })

  it('catch a file that stands in no layer', () => {
    write('packages/server/src/stray.ts', '')
    expect(violations()).toEqual([
      expect.stringContaining('packages/server/src/stray.ts:1: stands in no layer'),
    ])
  })

  for (const name of [
    'utils/text.ts',
    'lib/helpers.ts',
    'common/text.ts',
    'shared/text.ts',
    'lib/types.ts',
  ]) {
    it(`catch the name ${name}`, () => {
      write(`${server}/${name}`, '')
      expect(violations()).toEqual([expect.stringContaining(`${server}/${name}:1: `)])
    })
  }

  const reads = {
    'a read of process.env': 'const port = process.env.PORT',
    'a read by an index': "const port = process['env'].PORT",
    'a taken-apart process': 'const { env } = process',
    'an import of env': "import { env } from 'node:process'",
  }
  for (const [what, statement] of Object.entries(reads)) {
    it(`catch ${what} outside config.ts`, () => {
      write(`${server}/lib/id.ts`, statement)
      expect(violations()).toEqual([expect.stringContaining(`${server}/lib/id.ts:1: reads process.env`)])
    })
  }

  const foreignWrites = {
    'an insert': ["tx.insertInto('disk').values(row)", 'disk', 'disk'],
    'an update': ["tx.updateTable('vm_snapshot').set(gone)", 'vm_snapshot', 'vm-snapshot'],
    'a deletion': ["tx.deleteFrom('disk as d')", 'disk', 'disk'],
    'a deletion from several tables': ["tx.deleteFrom(['project', 'disk'])", 'disk', 'disk'],
    'a write in SQL': ['sql`update disk set vm_id = null`', 'disk', 'disk'],
    'a write of a table named unlike its owner': ["tx.insertInto('mail_token')", 'mail_token', 'account'],
  }
  for (const [what, [statement, table, owner]] of Object.entries(foreignWrites)) {
    it(`catch ${what} outside the folder of the table's owner`, () => {
      write(`${server}/project/project.repo.ts`, `\n${statement}`)
      expect(violations()).toEqual([
        expect.stringContaining(
          `${server}/project/project.repo.ts:2: writes the table ${table}, which is owned by ${owner}/.`,
        ),
      ])
    })
  }

  it('catch a write that does not name its table', () => {
    write(`${server}/project/project.repo.ts`, 'tx.deleteFrom(table)')
    expect(violations()).toEqual([expect.stringContaining('writes a table that is not named there')])
  })

  it('let a scene of a test, a conflict and a read name any table', () => {
    write(`${server}/project/project.test.ts`, "db.updateTable('disk')")
    write(
      `${server}/project/project.repo.ts`,
      "db.selectFrom('disk')\nsql`insert into project (id) values (1) on conflict do update set a = 1`",
    )
    expect(violations()).toEqual([])
  })

  it('say that a file cannot be parsed', () => {
    write(`${server}/lib/id.ts`, 'import {')
    expect(violations).toThrow(`${server}/lib/id.ts cannot be parsed`)
  })
})
