import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

it.each([
  [undefined, []],
  ['', []],
  [' ', []],
  ['Ada@Example.com', ['ada@example.com']],
  ['ada@example.com, bob@example.com', ['ada@example.com', 'bob@example.com']],
])('the administrators %j are %j', (SLIPWAY_ADMINS, admins) => {
  expect(readConfig({ SLIPWAY_ADMINS }).admins).toEqual(admins)
})

it.each(['ada', ',', 'ada@example.com,', 'ada@example.com bob@example.com'])(
  'the administrators %j stop the start, so that a slip does not let everybody in',
  (SLIPWAY_ADMINS) => {
    expect(() => readConfig({ SLIPWAY_ADMINS })).toThrow('SLIPWAY_ADMINS: Name e-mail addresses')
  },
)

it.each([
  [undefined, []],
  [' ', []],
  [
    'Images.Example.com, 10.1.2.3,10.0.0.0/8, fd00::/8,localhost',
    ['images.example.com', '10.1.2.3', '10.0.0.0/8', 'fd00::/8', 'localhost'],
  ],
])('the private sources %j are %j', (SLIPWAY_PRIVATE_SOURCES, privateSources) => {
  expect(readConfig({ SLIPWAY_PRIVATE_SOURCES }).privateSources).toEqual(privateSources)
})

it.each([
  ',',
  '10.0.0.0/33',
  '10.0.0.0/',
  'host/8',
  '10.0.0.0/8/8',
  'https://host',
  'host:5000',
  'a b',
  '-a',
])(
  'the private sources %j stop the start, so that a slip does not open a network',
  (SLIPWAY_PRIVATE_SOURCES) => {
    expect(() => readConfig({ SLIPWAY_PRIVATE_SOURCES })).toThrow('SLIPWAY_PRIVATE_SOURCES: Name hosts')
  },
)

it('images and disks have limits, which can be set', () => {
  expect(readConfig({})).toMatchObject({ maxImageGb: 100, maxDiskGb: 1024 })
  const settings = { SLIPWAY_MAX_IMAGE_GB: '2.5', SLIPWAY_MAX_DISK_GB: '64' }
  expect(readConfig(settings)).toMatchObject({ maxImageGb: 2.5, maxDiskGb: 64 })
  expect(() => readConfig({ SLIPWAY_MAX_DISK_GB: '0' })).toThrow('SLIPWAY_MAX_DISK_GB')
})
