import { describe, expect, it } from 'vitest'
import { diskWantedTwice, madeOf, projectFileTexts } from './project-file.rules.ts'

describe('a project file', () => {
  it('names each field that there is not', () => {
    expect(projectFileTexts.unknown(['cpus'])).toBe('There is no field `cpus`')
    expect(projectFileTexts.unknown(['cpus', 'ram'])).toBe('There are no fields `cpus`, `ram`')
  })

  it.each([
    [{}, null],
    [{ web: {}, db: {}, api: { disks: ['a', 'b'] } }, null],
    [
      { web: { disks: ['a'] }, db: { disks: ['b', 'a', 'b'] } },
      { vm: 'db', index: 1 },
    ],
    [{ web: { disks: ['a', 'a'] } }, { vm: 'web', index: 1 }],
  ])('attaches a disk once: in %j it is twice at %j', (vms, second) =>
    expect(diskWantedTwice(vms)).toEqual(second),
  )

  const url = 'https://example.com/a.img'
  it.each([
    ['image', url, { source: 'HTTP', image_url: url }],
    ['image', 'docker.io/a/b', { source: 'REGISTRY', image_url: 'docker.io/a/b' }],
    ['image', null, { source: 'EMPTY' }],
    ['snapshot', url, { source: 'EMPTY' }],
  ])('makes a disk from %s %s of %j', (source, image_url, made) =>
    expect(madeOf({ size: '1Gi', source, image_url })).toStrictEqual({ size: '1Gi', ...made }),
  )
})
