import { rollOutTexts, startScriptTexts, vmChangeTexts } from '@slipway/contract'
import { expect, test } from 'vitest'
import { rollOutChanges, rollOutFields, rollOutRootHint } from './roll-out-form.ts'
import { byRevision, settingsText } from './roll-out-words.ts'

const rollOut = { revision: 2, state: 'none' as const, message: null, renewed_vms: 3, total_vms: 3 }
const group = {
  template_id: 'starter',
  ssh_key_id: 'k',
  cpu: 1,
  memory_mb: 1024,
  root_disk_gb: null,
  persistent: false,
  disks: [],
  roll_out: rollOut,
}
const changed = (change: object, of: object = {}) =>
  rollOutChanges({ ...group, ...of }, { ...rollOutFields(group), ...change })

test('only what differs is sent, and something has to', () => {
  expect(changed({})).toEqual({ broken: rollOutTexts.nothing })
  expect(changed({ cpu: 2 })).toEqual({ body: { cpu: 2 } })
  expect(changed({ template_id: 'debian', memory_mb: 512, ssh_key_id: 'other' })).toEqual({
    body: { template_id: 'debian', memory_mb: 512, ssh_key_id: 'other' },
  })
  expect(changed({ cpu: 0 })).toEqual({ broken: 'Enter a whole number of processors from 1 to 64' })
})

test('a root disk stays as it is unless another size is entered', () => {
  const large = { root_disk_gb: 30 }
  expect(rollOutFields(group).rootDisk).toBe('')
  expect(rollOutFields({ ...group, ...large }).rootDisk).toBe('30')
  expect(changed({ rootDisk: ' 20 ' })).toEqual({ body: { root_disk_gb: 20 } })
  expect(changed({ rootDisk: '20' }, large)).toEqual({ body: { root_disk_gb: 20 } })
  for (const rootDisk of ['', ' ', '30'])
    expect(changed({ rootDisk }, large)).toEqual({ broken: rollOutTexts.nothing })
  expect(changed({ rootDisk: 'large' })).toEqual({ broken: vmChangeTexts.rootDisk })
  expect(rollOutRootHint(group, 4)).toBe('Left empty, it has the 4 GB of the template.')
  expect(rollOutRootHint(large, 4)).toBe(
    'Left empty, it stays at 30 GB. It can become smaller, because VMs are replaced.',
  )
})

test('a start script is kept, replaced or removed', () => {
  const script = '#!/bin/sh\n'
  expect(changed({ start_script: script })).toEqual({ broken: rollOutTexts.nothing })
  expect(changed({ script: 'replace', start_script: script })).toEqual({ body: { start_script: script } })
  expect(changed({ script: 'replace', start_script: 'echo' })).toEqual({ broken: startScriptTexts.form })
  expect(changed({ script: 'remove', start_script: script })).toEqual({ body: { start_script: null } })
})

test('a roll-out that was stopped goes on without a change', () => {
  expect(changed({}, { roll_out: { ...rollOut, renewed_vms: 1 } })).toEqual({ body: {} })
})

test('that disks are deleted has to be accepted where there are some', () => {
  for (const of of [
    { persistent: true },
    { disks: [{ name: 'd', size: '1Gi', source: 'EMPTY' as const }] },
  ]) {
    expect(changed({ cpu: 2 }, of)).toEqual({ broken: 'Accept that the disks of replaced VMs are deleted.' })
    expect(changed({ cpu: 2, delete_disks: true }, of)).toEqual({ body: { cpu: 2, delete_disks: true } })
  }
})

test('the page counts the VMs with the present settings', () => {
  const text = (of: object) => settingsText({ ...group, roll_out: { ...rollOut, ...of } })
  expect(text({})).toBe(
    'Every VM has the current settings: 1 core and 1.0 GB of memory, with the template and SSH key above.',
  )
  expect(settingsText({ ...group, root_disk_gb: 30 })).toContain(
    ': 1 core, 1.0 GB of memory and a root disk of 30Gi, with',
  )
  const one = '1 of 3 VMs has the new settings (1 core and 1.0 GB of memory).'
  expect(text({ state: 'running', renewed_vms: 1 })).toBe(`${one} The others are replaced one by one.`)
  expect(text({ state: 'paused', renewed_vms: 1 })).toContain('The others keep running until you continue')
  expect(text({ renewed_vms: 1 })).toContain('The others keep older settings until you roll out again.')
})

test('VMs are listed by their settings where these differ', () => {
  const vms = [
    { id: 'a', name: 'web-1' },
    { id: 'b', name: 'web-2' },
    { id: 'c', name: 'web-3' },
  ]
  const at = (...revisions: number[]) =>
    revisions.map((revision, i) => ({ vm_id: vms[i]?.id ?? '', revision }))
  expect(byRevision(rollOut, vms, at(2, 2, 2))).toEqual([])
  expect(byRevision(rollOut, vms, at(1, 1))).toEqual([
    { revision: 2, names: ['web-3'] },
    { revision: 1, names: ['web-1', 'web-2'] },
  ])
})
