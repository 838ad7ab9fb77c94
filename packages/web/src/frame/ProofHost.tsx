import { lazy, Suspense, useEffect } from 'react'
import { beginAskingForProof, useProofAsked } from '../api/proof.ts'

// Loaded when a call first needs it.
const ProofDialog = lazy(async () => ({
  default: (await import('../features/proof/ProofDialog.tsx')).ProofDialog,
}))

/** Asks the user to confirm who they are, whichever page made the call that needs it. Once in the console's frame. */
export function ProofHost() {
  const asked = useProofAsked()
  useEffect(beginAskingForProof, [])
  return asked ? (
    <Suspense fallback={null}>
      <ProofDialog />
    </Suspense>
  ) : null
}
