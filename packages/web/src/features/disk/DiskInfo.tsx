import { parseDiskSize } from '@slipway/contract'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { type FormSource, formSources } from './disk-form.ts'
import { sizeText } from './size-text.ts'

const growth = 'If the content is larger than the size, the disk is created larger; nothing is cut off.'

const info: Record<FormSource, readonly string[]> = {
  EMPTY: [
    'The disk is empty, without a file system, and available within seconds.',
    'In the VM, lsblk lists it. Create a file system on it once, then mount it.',
  ],
  HTTP: [
    'The server downloads the image and writes it to the disk. The page of the disk shows the progress, and the SHA-256 of the image afterwards.',
    growth,
  ],
  SNAPSHOT: [
    'The disk is an independent copy of the snapshot’s disk; for a VM snapshot, of the VM’s root disk.',
    growth,
  ],
  REGISTRY: [
    'A disk file below /disk/ in the image is used as it is. Other images become an ext4 file system with their files.',
    'The image must be public: the server does not sign in to the registry.',
    growth,
  ],
  UPLOAD: [
    'The file may be a qcow2, raw, VMDK or ISO image, also packed with gzip, xz or zstd. It must not depend on other files.',
    'The upload continues after a lost connection by itself, and after a reload once you choose the same file again.',
    growth,
  ],
}

/** What the disk will be, and what to know about it, beside its form. */
export function DiskInfo({ source, size }: { source: FormSource; size: string }) {
  return (
    <Sheet title="What you get" aria-label="What you get">
      <div className="overflow-hidden border-b border-line">
        <Cells
          columns={2}
          items={[
            {
              label: 'Size',
              value:
                typeof parseDiskSize(size) === 'number' ? (
                  sizeText(size)
                ) : (
                  <span className="text-ink-3">None</span>
                ),
            },
            { label: 'Source', value: formSources[source] },
          ]}
        />
      </div>
      <div className="grid gap-2 px-4 py-3 text-hint/5 text-ink-2">
        {info[source].map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </Sheet>
  )
}
