import type { AdminMail } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { formatDateTime } from '../../time.ts'
import { mailStateText } from './mail-words.ts'

const at = '2026-05-01T10:00:00.000Z'
const mail: AdminMail = {
  id: 'm',
  purpose: 'verify',
  recipient: 'ada@slipway.test',
  account_id: null,
  state: 'waiting',
  created_at: at,
  tries: 1,
  tried_at: at,
  is_being_sent: false,
  next_try_at: at,
  expires_at: null,
  failure: null,
  can_be_sent: true,
}

describe('where a mail is on its way', () => {
  it.each<[string, Partial<AdminMail>]>([
    ['Waits to be sent', { tries: 0 }],
    ['Is being sent', { is_being_sent: true, next_try_at: null }],
    [`Waits after one try; the next is ${formatDateTime(at)}`, {}],
    ['Not sent after 2 tries', { state: 'failed', tries: 2, next_try_at: null }],
    [`Sent ${formatDateTime(at)}`, { state: 'sent', next_try_at: null }],
  ])('is told as "%s"', (text, change) => {
    expect(mailStateText({ ...mail, ...change })).toBe(text)
  })
})
