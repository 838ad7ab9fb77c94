import type { Template } from '@slipway/contract'
import type { ReactNode } from 'react'
import { errorText } from '../../api/errors.ts'
import { usePrepareTemplate } from '../../api/templates.ts'
import { Button } from '../../ui/Button.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { toast } from '../../ui/toast.tsx'
import { bootAddressOf, imageWork } from './template-image.ts'

/** Which image the VMs of a template boot, how it is with it, and what can be done about that. */
export function TemplateImage({ template: { id, name, image_url, image } }: { template: Template }) {
  const prepare = usePrepareTemplate()
  const action = (label: string) => (
    <Button
      size="sm"
      busy={prepare.isPending}
      onClick={() =>
        void prepare
          .mutateAsync(id)
          .catch((error) =>
            toast.error(errorText(error, `Failed to prepare the image of "${name}". Please try again.`)),
          )
      }
      aria-label={`${label}: ${name}`}
    >
      {label}
    </Button>
  )
  const boots = <ImageSource imageUrl={image_url} />
  switch (image.state) {
    case 'ready':
      return <ImageLine glyph="ready" word="Ready" boots={boots} />
    case 'absent':
      return (
        <ImageLine
          glyph="absent"
          word={bootAddressOf(image_url) ? 'Downloaded at first use' : 'Built at first use'}
          boots={boots}
          action={action('Prepare now')}
        />
      )
    case 'coming':
      return (
        <>
          <WorkTrack
            label={`Image of ${name}`}
            value={image.progress === null ? undefined : image.progress / 100}
          />
          <ImageLine glyph="creating" word={imageWork(image)} boots={boots} />
        </>
      )
    case 'failed':
      return (
        <ImageLine glyph="failed" word="Failed" boots={boots} action={action('Try again')}>
          {image.message ?? 'The server gave no reason.'}
        </ImageLine>
      )
  }
}

interface ImageLineProps {
  /** A word of `StatusGlyph`. */
  glyph: string
  word: string
  boots?: ReactNode
  action?: ReactNode
  /** Why it failed. */
  children?: ReactNode
}

/** Below the head of a template's card. */
export function ImageLine({ glyph, word, boots, action, children }: ImageLineProps) {
  return (
    <div className="border-t border-line px-4 py-2 text-hint text-ink-2">
      <div className="flex min-h-7 items-center gap-3">
        <p className="flex min-w-0 flex-1 items-start gap-[7px]">
          <StatusGlyph word={glyph} className="mt-[3px]" />
          <span className="min-w-0">
            <span className={glyph === 'failed' ? 'font-medium text-bad' : 'font-medium text-ink'}>
              {word}
            </span>{' '}
            {boots}
          </span>
        </p>
        {action}
      </div>
      {children && <p className="mt-0.5 mb-1 wrap-anywhere">{children}</p>}
    </div>
  )
}

/** Which image it is: one that Slipway makes, or the file at an address. */
export function ImageSource({ imageUrl }: { imageUrl: string | null }) {
  const address = bootAddressOf(imageUrl)
  if (!address) return <span className="whitespace-nowrap text-ink-3">Built-in image</span>
  return (
    <span className="wrap-anywhere text-ink-3" title={imageUrl ?? undefined}>
      <bdi>{address.file}</bdi> from <bdi>{address.host}</bdi>
    </span>
  )
}
