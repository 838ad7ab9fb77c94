import { formatCpu, formatMemory, type ImageFound } from '@slipway/contract'
import type { ReactNode } from 'react'
import { ApiError } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { formatShortDate } from '../../time.ts'
import { Arc } from '../../ui/Arc.tsx'
import { Cells, Sheet } from '../../ui/Sheet.tsx'
import { TemplateDrawing } from './TemplateCard.tsx'
import { ImageLine, ImageSource } from './TemplateImage.tsx'
import { bootAddressOf } from './template-image.ts'

interface TemplatePreviewProps {
  name: string
  description: string
  cpu: number | undefined
  memoryMb: number | undefined
  /** The whole address, picture or boot image. */
  imageUrl: string | null
  hasStartScript: boolean
  /** What the server found at it, if it is that of a boot image. */
  check: { data: ImageFound | undefined; error: Error | null }
}

/** Beside the form: the card as users will see it, and what their VMs will boot. */
export function TemplatePreview({
  name,
  description,
  cpu,
  memoryMb,
  imageUrl,
  hasStartScript,
  check,
}: TemplatePreviewProps) {
  return (
    <section aria-label="Preview" className="grid min-w-0 gap-3 lg:sticky lg:top-6.5">
      <h2 className="text-section">Preview</h2>
      <TemplateDrawing
        template={{
          id: '',
          name: name || 'Untitled',
          description: description || 'What the template contains and what it is for.',
          image_url: imageUrl,
          has_start_script: hasStartScript,
        }}
        cpu={cpu ? formatCpu(cpu) : notChosen}
        memory={memoryMb ? formatMemory(memoryMb) : notChosen}
        created={formatShortDate(new Date().toISOString())}
        image={<PreviewedImage imageUrl={imageUrl} refused={check.error !== null} />}
      />
      <Sheet title="What VMs boot" aria-label="What VMs boot">
        <WhatBoots imageUrl={imageUrl} check={check} />
      </Sheet>
    </section>
  )
}

function PreviewedImage({ imageUrl, refused }: { imageUrl: string | null; refused: boolean }) {
  if (!bootAddressOf(imageUrl)) return <ImageLine glyph="absent" word="Built-in image" />
  return (
    <ImageLine
      glyph={refused ? 'failed' : 'absent'}
      word={refused ? 'Cannot be used' : 'Downloaded after creation'}
      boots={<ImageSource imageUrl={imageUrl} />}
    />
  )
}

const notChosen = <span className="text-ink-3">Not chosen</span>

function WhatBoots({ imageUrl, check }: Pick<TemplatePreviewProps, 'imageUrl' | 'check'>) {
  const address = bootAddressOf(imageUrl)
  if (!address) {
    return (
      <Says>
        VMs boot the built-in Debian image.
        {imageUrl && ' The URL points to a picture for the card.'}
      </Says>
    )
  }
  if (check.error) {
    const told = check.error instanceof ApiError && check.error.status === 400
    return (
      <Says>
        {told
          ? 'The image at this URL cannot be used. See the reason below the field.'
          : errorText(
              check.error,
              'The URL could not be checked. It will be checked again when you create the template.',
            )}
      </Says>
    )
  }
  if (!check.data) {
    return (
      <Says>
        <span className="flex items-center gap-2">
          <Arc className="text-busy-mark" />
          Checking the image...
        </span>
      </Says>
    )
  }
  const { format, download_bytes, disk_bytes } = check.data
  return (
    <>
      <Says>
        VMs boot <bdi className="font-medium text-ink">{address.file}</bdi> from <bdi>{address.host}</bdi>. It
        will be downloaded after the template is created.
      </Says>
      <Cells
        columns={3}
        className="border-t border-line"
        items={[
          { label: 'Format', value: format ?? unknown },
          { label: 'Download', value: download_bytes === null ? unknown : sizeOf(download_bytes) },
          { label: 'Disk', value: disk_bytes === null ? unknown : sizeOf(disk_bytes) },
        ]}
      />
    </>
  )
}

const unknown = <span className="text-ink-3">Not available yet</span>

const sizeOf = (bytes: number) => formatMemory(Math.max(1, Math.round(bytes / 2 ** 20)))

function Says({ children }: { children: ReactNode }) {
  return (
    <div role="status" className="px-4 py-3 text-hint wrap-anywhere text-ink-2">
      {children}
    </div>
  )
}
