export const templateTexts = {
  nameMissing: 'Please enter a template name',
  descriptionMissing: 'Please enter a template description',
  invalidCpu: 'Please select a valid CPU count',
  invalidMemory: 'Please select a valid memory size',
  invalidImageUrl: 'Please enter a valid image URL',
  invalidChecksum: 'End the image URL with #sha256= and 64 hexadecimal digits, or omit the checksum',
  scriptWithoutCloudInit:
    'The image of this template has no cloud-init. Begin the start script with #!, or enter the URL of an image with cloud-init.',
  adminOnly: 'Admin access required',
  notFound: 'Template not found',
  builtIn: 'A built-in template cannot be changed or deleted. Retire it, and add one of your own.',
  alreadyRetired: 'This template is retired already',
  alreadyOffered: 'This template is offered already',
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

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${many}`]

/** Whether a template may be deleted: only when nothing that exists was created from it. */
export function mayDeleteTemplate({
  built_in,
  vms,
  groups,
}: {
  built_in: boolean
  vms: number
  groups: number
}): true | string {
  if (built_in) return templateTexts.builtIn
  const uses = [...counted(vms, 'VM', 'VMs'), ...counted(groups, 'pool or set', 'pools and sets')]
  return uses.length === 0 || `This template is used by ${uses.join(' and ')}. Retire it instead.`
}

/** Whether a template may be changed. */
export const mayChangeTemplate = ({ built_in }: { built_in: boolean }): true | string =>
  !built_in || templateTexts.builtIn
