import type { Notice } from '@slipway/contract'
import { useEffect } from 'react'
import { announce } from '../shell/announce.ts'
import { Banner } from '../ui/Banner.tsx'

let saidLast = ''

/** It cannot be closed: who runs the server says when it is over. */
export function NoticeLine({ notice: { tone, text, set_at } }: { notice: Notice }) {
  useEffect(() => {
    // One that was there before the page is read with the page.
    if (set_at === saidLast || Date.parse(set_at) < performance.timeOrigin) return
    saidLast = set_at
    announce(`From the operator: ${text}`)
  }, [set_at, text])
  return (
    <Banner tone={tone} className="mb-5">
      <b className="font-semibold">From the operator:</b> <bdi>{text}</bdi>
    </Banner>
  )
}
