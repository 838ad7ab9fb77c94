import { z } from 'zod'
import { shareTexts } from './share.rules.ts'

/** A port of a VM. It stands by itself because VMs name ports to share, and shares name VMs. */
export const GuestPort = z
  .int({ error: shareTexts.portMissing })
  .min(1, shareTexts.portMissing)
  .max(65_535, shareTexts.portMissing)
