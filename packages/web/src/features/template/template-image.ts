import { isBootImageUrl, type Template } from '@slipway/contract'

type WithImage = Pick<Template, 'image_url' | 'image'>

/** The address of a template's picture; null when the address is that of a boot image (catalogue G-069). */
export function pictureOf(imageUrl: string | null): string | null {
  return imageUrl && isBootImageUrl(imageUrl) ? null : imageUrl
}

/** Where a template's boot image comes from, for people; null for an image that Slipway makes. */
export function bootAddressOf(imageUrl: string | null): { file: string; host: string } | null {
  if (!imageUrl || !isBootImageUrl(imageUrl) || !URL.canParse(imageUrl)) return null
  const { pathname, host } = new URL(imageUrl)
  const last = pathname.split('/').at(-1) ?? ''
  return { file: decoded(last), host }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Under the choice of a template: what its image means for who creates VMs now. Null for one that is ready. */
export function imageHint({ image_url, image }: WithImage): string | null {
  switch (image.state) {
    case 'ready':
      return null
    case 'absent':
      return bootAddressOf(image_url)
        ? 'The image will be downloaded first, which takes a few minutes.'
        : 'The image will be built first, which takes a few minutes.'
    case 'coming':
      return `${imageWork(image)} VMs start once it is ready.`
    case 'failed':
      return `The image could not be prepared. Slipway will try again. ${image.message ?? ''}`.trim()
  }
}

/** What is under way, with how much of it is done: `Building the Go image: 40 %.` */
export function imageWork({ message, progress }: Template['image']): string {
  const what = (message ?? 'Preparing the image').replace(/[.:\s]+$/, '')
  return progress === null ? `${what}.` : `${what}: ${progress}\u00a0%.`
}
