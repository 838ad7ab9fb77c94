import { z } from 'zod'
import { brokenStartScript, startScriptTexts } from './start-script.rules.ts'

/** What a guest runs once, as root, when it boots for the first time: a program (`#!`) or `#cloud-config`. */
export const StartScriptText = z.string({ error: startScriptTexts.form }).superRefine((text, context) => {
  const message = brokenStartScript(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})
