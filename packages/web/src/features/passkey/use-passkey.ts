import { useState } from 'react'
import { passkeyErrorText } from './passkey-words.ts'

/** A button that asks for a passkey: one request at a time, and why the last one failed. */
export function usePasskey(act: () => Promise<void>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  return {
    busy,
    error,
    use: async () => {
      if (busy) return
      setBusy(true)
      setError(undefined)
      try {
        await act()
      } catch (reason) {
        setError(passkeyErrorText(reason, 'The passkey was not used.'))
      } finally {
        setBusy(false)
      }
    },
  }
}
