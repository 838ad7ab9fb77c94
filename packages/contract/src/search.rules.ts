/** What can be found. */
export const searchKinds = ['project', 'vm', 'vm_pool', 'vm_set', 'disk', 'template'] as const

/** How many are found at most. */
export const searchLimit = 30
