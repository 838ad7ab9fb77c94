export const vmPoolTexts = {
  nameMissing: 'Please enter a VM Pool name.',
  projectMissing: 'Please select a project.',
  sshKeyMissing: 'Please select an SSH key for secure access.',
  templateMissing: 'Please select a template.',
  minAboveMax: 'Minimum size cannot be greater than maximum size.',
  desiredOutside: 'Desired size must be between minimum and maximum size.',
  tooLarge: 'Maximum size cannot be greater than 1000.',
  notANumber: 'Please enter whole numbers for the sizes.',
  inUse: 'A VM of this VM Pool is in use by a snapshot or restore. Please try again later.',
  hasProtected: 'A VM of this VM Pool is protected against deletion. Turn its protection off first.',
} as const

/** The words the server sends. */
export const vmPoolStatuses = ['scaling', 'active', 'error'] as const

export const vmPoolSizeLimit = 1000

/** What the form starts with (catalogue G-079). */
export const vmPoolDefaults = {
  min_size: 1,
  desired_size: 1,
  max_size: 3,
  persistent: true,
  auto_scaling: true,
} as const

export interface PoolSizes {
  min_size: number
  desired_size: number
  max_size: number
}

/**
 * `true`, or the sentence that says what is wrong with the sizes of a pool, in the order of the specification. A pool
 * never wants fewer than one VM, so a minimum of 0 leaves `desired_size` at 1 or more.
 */
export function poolSizesAllowed({ min_size, desired_size, max_size }: PoolSizes): true | string {
  if (min_size > max_size) return vmPoolTexts.minAboveMax
  if (desired_size < Math.max(1, min_size) || desired_size > max_size) return vmPoolTexts.desiredOutside
  return max_size <= vmPoolSizeLimit || vmPoolTexts.tooLarge
}

/** Current size as a share of the maximum: text with one decimal, and how full the bar is, at most 100 (G-082). */
export function poolUtilization(pool: { current_size: number; max_size: number }): {
  text: string
  bar: number
} {
  const percent = pool.max_size > 0 ? (pool.current_size / pool.max_size) * 100 : 0
  return { text: `${percent.toFixed(1)}%`, bar: Math.min(100, percent) }
}

/** Whether the status will change by itself. */
export const isPoolUnderWay = ({ status }: { status: string }): boolean => status.toLowerCase() === 'scaling'

/** When the autoscaler acts. Percent of the processors the members were given; seconds. */
export interface ScalingPolicy {
  sample_every_s: number
  up_above: number
  up_after_s: number
  down_below: number
  down_after_s: number
  pause_s: number
}

/** Catalogue G-081. */
export const scalingDefaults: ScalingPolicy = {
  sample_every_s: 15,
  up_above: 75,
  up_after_s: 60,
  down_below: 20,
  down_after_s: 300,
  pause_s: 120,
}
