import { existsSync } from 'node:fs'

/** The same engine without the windows of a desktop; it takes less than half of the processor's time. */
const shell = '/usr/bin/chromium-headless-shell'

/** Debian's Chromium, without anything that would talk to the world. */
export const chromiumOptions = {
  executablePath: process.env.CHROMIUM ?? (existsSync(shell) ? shell : '/usr/bin/chromium'),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}
