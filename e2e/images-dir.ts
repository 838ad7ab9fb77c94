import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The boot image that all test runs share; the engine's own tests keep it here too. */
export const imagesDir = join(tmpdir(), `slipway-test-images-${process.getuid?.() ?? 0}`)
