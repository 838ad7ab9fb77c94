export const templateTexts = {
  nameMissing: 'Please enter a template name',
  descriptionMissing: 'Please enter a template description',
  invalidCpu: 'Please select a valid CPU count',
  invalidMemory: 'Please select a valid memory size',
  invalidImageUrl: 'Please enter a valid image URL',
  invalidChecksum: 'End the image URL with #sha256= and 64 hexadecimal digits, or omit the checksum',
  adminOnly: 'Admin access required',
  notFound: 'Template not found',
} as const

/** What a template may give each VM, in cores. */
export const templateCpuOptions = [1, 2, 4, 8, 16] as const

/** What a template may give each VM, in megabytes. */
export const templateMemoryOptionsMb = [512, 1024, 2048, 4096, 8192, 16_384] as const

/** Whether a text is the address of something on the web. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/**
 * Whether an address names a boot image by the ending of its path, query ignored (catalogue G-069). Every other one is
 * that of a picture.
 */
export function isBootImageUrl(url: string): boolean {
  return /\.(qcow2|img|raw|iso)$/i.test(url.split(/[?#]/)[0] ?? '')
}

/**
 * The SHA-256, in lower-case hex, that the fragment of a boot image's address demands of the file
 * (`https://…/disk.qcow2#sha256=…`): null when it demands none, undefined when the fragment is anything else.
 */
export function demandedSha256(url: string): string | null | undefined {
  const fragment = url.split('#').slice(1).join('#')
  if (fragment === '') return null
  return /^sha256=([0-9a-f]{64})$/i.exec(fragment)?.[1]?.toLowerCase()
}
