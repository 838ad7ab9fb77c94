import { useHost } from '../api/host.ts'
import { useSession } from '../api/session.ts'
import { Banner } from '../ui/Banner.tsx'

/** Makes sure that nobody mistakes a simulation for real VMs. */
export function EngineBanner() {
  const host = useHost()
  const { state } = useSession()
  if (state !== 'in' || host?.engine !== 'simulated') return null
  return (
    <Banner tone="warn" className="mb-5">
      <b className="font-semibold">Simulated engine.</b> VMs go through every state, but no guest runs and
      nothing answers over SSH.
    </Banner>
  )
}
