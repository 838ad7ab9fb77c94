import type { StartScriptForm } from './engine.ts'

/** Where a guest keeps its start script and what came of it. */
const place = '/var/lib/slipway/start-script'

export const startScriptFiles = {
  begun: `${place}/begun`,
  result: `${place}/result`,
  output: `${place}/output`,
} as const

/** So much of the end of an output is told. */
export const OUTPUT_BYTES = 64 * 1024

/** Settings are for cloud-init; everything else is a program. */
export const formOf = (startScript: string): StartScriptForm =>
  /^#cloud-config\s*(\n|$)/.test(startScript) ? 'cloud-config' : 'program'

/**
 * Runs the start script once. It is called at every boot: a mark on the disk, which goes along with copies of it, says that
 * it was begun.
 */
const RUN = `#!/bin/sh
cd ${place} || exit
umask 077
if [ -e begun ]; then
  [ -e result ] || echo interrupted > result
  exit
fi
: > begun
sync
export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
(umask 022 && cd /root && exec ${place}/script) > output 2>&1 < /dev/null
echo "$? $(date +%s)" > result.new
sync
mv result.new result
sync
`

const base64 = (text: string) => Buffer.from(text).toString('base64')

/**
 * The files of a program, as cloud-init writes them. Our own images read them out of the same text, see
 * `take-start-script`; cloud-init runs what stands in the last folder at the end of every boot.
 */
export const programFiles = (startScript: string) => [
  { path: `${place}/script`, permissions: '0700', encoding: 'b64', content: base64(startScript) },
  { path: `${place}/run`, permissions: '0700', encoding: 'b64', content: base64(RUN) },
  {
    path: '/var/lib/cloud/scripts/per-boot/start-script',
    permissions: '0755',
    content: `#!/bin/sh\nexec ${place}/run\n`,
  },
]

/** No line of the parts begins like this: settings of ours are indented JSON, those of users are in base64. */
const BOUNDARY = 'slipway-start-script'

/**
 * Our settings and those of a user as one text. Theirs are merged into ours: lists become longer, and what both name stays
 * ours. cloud-init documentation, "MIME multi-part archive" and "Merging user-data sections".
 */
export const withSettings = (ours: string, startScript: string): string =>
  [
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${BOUNDARY}"`,
    '',
    `--${BOUNDARY}`,
    'Content-Type: text/cloud-config',
    '',
    ours,
    `--${BOUNDARY}`,
    'Content-Type: text/cloud-config',
    'Content-Transfer-Encoding: base64',
    'Merge-Type: list(append)+dict(no_replace,recurse_list,recurse_array)+str()',
    '',
    ...(base64(startScript).match(/.{1,76}/g) ?? []),
    `--${BOUNDARY}--`,
    '',
  ].join('\n')
