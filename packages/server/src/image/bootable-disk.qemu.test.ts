// @module-tag full
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askGuest, dataDiskSizes, sizesOfDataDisks } from '../bootable-disk.test-kit.ts'
import { testImages } from '../engine/qemu/qemu-engine.test-kit.ts'
import { run } from '../lib/command.ts'
import { describeWith } from '../lib/describe-with.test-kit.ts'
import { STARTER_IMAGE } from './boot-image.ts'
import { bootableDiskTools, makeBootableDisk } from './bootable-disk.ts'

describeWith(
  [...bootableDiskTools, 'qemu-system-x86_64', 'genisoimage'],
  'the Starter image as one disk',
  () => {
    let workDir: string
    beforeAll(async () => {
      workDir = await mkdtemp(join(tmpdir(), 'slipway-bootable-'))
    })
    afterAll(() => rm(workDir, { recursive: true, force: true }))

    test('a BIOS starts it wherever it stands, and it finds itself, its seed and disks that come by SCSI', async () => {
      const image = await (await testImages(workDir)).use(STARTER_IMAGE)
      const { signal } = new AbortController()
      const { path, virtualBytes } = await makeBootableDisk(image, { workDir, signal })
      expect(virtualBytes).toBe(4 * 1024 ** 3)
      const info = JSON.parse(await run('qemu-img', ['info', '--output=json', path]))
      expect(info).toMatchObject({ format: 'qcow2', 'virtual-size': virtualBytes })
      expect(info).not.toHaveProperty('backing-filename')

      const guest = { disk: path, sizeBytes: virtualBytes, memoryMb: 256, hostname: 'bare', workDir }
      const said = await askGuest(
        guest,
        `hostname; ${sizesOfDataDisks}; readlink /dev/disk/by-id/virtio-root; cat /proc/cmdline; mount`,
      )
      const [hostname, early, late, root, cmdline, ...mounts] = said.split('\n')
      expect(hostname).toBe('bare')
      expect([early, late]).toEqual(dataDiskSizes)
      expect(root).toBe('../../vdb')
      expect(cmdline).toContain(`${image.cmdline}`)
      expect(mounts).toContainEqual(expect.stringMatching(/^\/dev\/(vdb|root) on \/ type ext4 \(rw/))
    })
  },
)
