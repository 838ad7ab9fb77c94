/** As much as tests use of it. */
declare module 's3rver' {
  import type { AddressInfo } from 'node:net'

  export default class S3rver {
    constructor(options: {
      address: string
      port: number
      silent: boolean
      directory: string
      key: Buffer
      cert: Buffer
      configureBuckets: { name: string; configs: never[] }[]
    })
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
