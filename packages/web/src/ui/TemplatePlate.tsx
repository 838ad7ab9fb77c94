import { useState } from 'react'
import { cx } from './cx.ts'

const box = 'M9 11h30v26H9z'
/** One drawing per kind of template, same weight, no third-party logos. The first kind whose word is in the id wins. */
const plates: readonly { kind: RegExp; path: string }[] = [
  { kind: /next/, path: 'M11 10h20v22H11zM17 38h20V16M16 17h10M16 22h6' },
  { kind: /node|react/, path: 'M8 11h32v26H8zM8 18h32M20 24l-4 4 4 4M28 24l4 4-4 4' },
  {
    kind: /python|django/,
    path: 'M11 13a13 4.5 0 0 1 26 0a13 4.5 0 0 1-26 0v22c0 2.5 5.8 4.5 13 4.5S37 37.5 37 35V13M11 24c0 2.5 5.8 4.5 13 4.5S37 26.5 37 24',
  },
  { kind: /rust/, path: `${box}M9 17h30M9 31h30M13 17l22 14M35 17 13 31` },
  {
    kind: /laravel|php/,
    path: 'M8 24a4 4 0 1 0 8 0a4 4 0 1 0-8 0M32 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0M32 36a4 4 0 1 0 8 0a4 4 0 1 0-8 0M16 24h6c6 0 4-12 10-12M22 24c6 0 4 12 10 12',
  },
  { kind: /docker|kube/, path: 'M8 12h32v24H8zM8 24h32M18.7 12v24M29.3 12v24' },
  {
    kind: /ubuntu|cloud/,
    path: 'M15 36h19a7.5 7.5 0 0 0 1-14.9A10.8 10.8 0 0 0 14.6 18.2A9 9 0 0 0 15 36M24 20v10M19.5 26l4.5 4.5 4.5-4.5',
  },
  { kind: /starter/, path: 'M8 11h32v26H8zM14 19l5 5-5 5M23 29h9' },
  {
    kind: /debian|linux|^base$/,
    path: 'M9 10h30v12H9zM9 26h30v12H9zM15 16h6M15 32h6M33 16h.01M33 32h.01',
  },
  { kind: /\bgo(lang)?\b|^go/, path: 'M8 18h28M30 12l6 6-6 6M40 31H12M18 25l-6 6 6 6' },
]
const generic = `${box}M9 18h30M14 25h12M14 31h7`

interface TemplatePlateProps {
  templateId: string
  /** The template's own picture; one that does not load becomes the phantom picture. */
  imageUrl?: string | null | undefined
  size?: number
  className?: string
}

/** The sign of a template. Decorative: its name always stands beside it. */
export function TemplatePlate({ templateId, imageUrl, size = 36, className }: TemplatePlateProps) {
  const [failedUrl, setFailedUrl] = useState<string | null>(null)
  if (imageUrl && imageUrl !== failedUrl) {
    return (
      <img
        src={imageUrl}
        alt=""
        width={size}
        height={size}
        loading="lazy"
        onError={() => setFailedUrl(imageUrl)}
        className={cx('flex-none object-contain', className)}
      />
    )
  }
  const broken = Boolean(imageUrl)
  const id = templateId.toLowerCase()
  const path = plates.find(({ kind }) => kind.test(id))?.path ?? generic
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 48 48"
      fill="none"
      stroke="currentColor"
      // The stroke keeps its weight on screen: 1.1 px at 36, a little bolder where it is small.
      strokeWidth={size < 24 ? 2.6 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeDasharray={broken ? '6 2.5 1 2.5' : undefined}
      aria-hidden="true"
      className={cx('flex-none', broken ? 'text-line-control' : 'text-ink-2', className)}
    >
      <path d={broken ? 'M8 10h32v28H8zM8 32l9-9 8 8 6-6 9 9' : path} />
    </svg>
  )
}
