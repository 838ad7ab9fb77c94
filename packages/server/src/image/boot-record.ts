import { ImportError } from './import-error.ts'

/** How much of a disk {@link requireBootRecord} wants to see: up to where an ISO 9660 file system names itself. */
export const BOOT_RECORD_BYTES = 64 * 1024

/** Whether a disk begins as ISO 9660 file systems do (ECMA-119, "Volume Descriptors": at sector 16 of 2048 bytes). */
export const isIso = (start: Buffer): boolean => start.toString('latin1', 32_769, 32_774) === 'CD001'

/**
 * Refuses a disk that no BIOS starts, by its first bytes: the first sector has to end in 55 AA, and its 440 bytes for
 * code must hold some; disks that are for UEFI alone have none there. Throws an ImportError.
 */
export function requireBootRecord(start: Buffer): void {
  if (start.length < 512 || start.readUInt16BE(510) !== 0x55aa) {
    throw new ImportError(
      isIso(start)
        ? 'The ISO image cannot boot from a disk because it is not a hybrid ISO.'
        : 'The image is not bootable: its disk has no boot sector.',
    )
  }
  if (start.subarray(0, 440).every((byte) => byte === 0)) {
    throw new ImportError(
      'The image cannot boot here: its boot sector contains no code. It may support UEFI only.',
    )
  }
}
