import { PageHeader } from '../../ui/PageHeader.tsx'
import { ApiTokens } from '../api-token/ApiTokens.tsx'
import { IdentitiesSection } from '../oidc/IdentitiesSection.tsx'
import { VisitNote } from '../oidc/VisitNote.tsx'
import { PasskeysSection } from '../passkey/PasskeysSection.tsx'
import { TwoFactorSection } from '../two-factor/TwoFactorSection.tsx'
import { DeleteAccountSection } from './DeleteAccountSection.tsx'
import { ExportSection } from './ExportSection.tsx'
import { PasswordSection } from './PasswordSection.tsx'
import { ProfileSection } from './ProfileSection.tsx'
import { SessionsSection } from './SessionsSection.tsx'

/** What somebody sets up for themselves. */
export function Component() {
  return (
    <>
      <PageHeader title="Your account" description="How you sign in, and what may act for you." />
      <div className="grid max-w-190 grid-cols-[minmax(0,1fr)] gap-5">
        <VisitNote />
        <ProfileSection />
        <PasswordSection />
        <IdentitiesSection />
        <PasskeysSection />
        <TwoFactorSection />
        <SessionsSection />
        <ApiTokens />
        <ExportSection />
        <DeleteAccountSection />
      </div>
    </>
  )
}
